"""MDL molfiles (V2000): atoms, bonds, and the formula with the hydrogens that chemists leave out."""

import re
from collections import Counter
from dataclasses import dataclass

from processing.facts import Facts
from processing.formats.table import Cell, Column, Table
from processing.readings import Input, Output, Unreadable

BOND = re.compile(r"[ \d]{2}\d[ \d]{2}\d[ \d]{2}\d(?:[ \d-]{3})*\s*")
COUNTS_LINE = 3  # behind name, program and comment
CHARGES = {1: 3, 2: 2, 3: 1, 5: -1, 6: -2, 7: -3}  # of the atom block
VALENCES = {"H": (1,), "B": (3,), "C": (4,), "Si": (4,), "N": (3,), "P": (3, 5), "As": (3, 5), "O": (2,)} | {
    "S": (2, 4, 6),
    "Se": (2, 4, 6),
    "F": (1,),
    "Cl": (1,),
    "Br": (1,),
    "I": (1, 3, 5),
}
GAINING = {"N", "P", "As", "O", "S", "Se"}  # a positive charge adds a bond, a negative one takes it
AROMATIC, AROMATIC_ORDER = 4, 1.5
HYDROGENS = {"D": "H", "T": "H"}


@dataclass
class Atom:
    element: str
    place: tuple[float, float, float]
    charge: int = 0
    bonds: float = 0.0
    is_radical: bool = False

    @property
    def hydrogens(self) -> int:
        """As many as the lowest valence leaves open that the bonds do not exceed."""
        valences = VALENCES.get(self.element, ())
        shift = self.charge if self.element in GAINING else -abs(self.charge)
        open_places = (valence + shift - self.bonds for valence in valences)
        return max(0, int(next((left for left in open_places if left >= 0), 0)) - self.is_radical)


def read(given: Input) -> Output:
    """Unreadable: it ends before all atoms and bonds that it counts."""
    lines = given.path.read_text(encoding="latin-1").splitlines()
    atoms, bonds, doubts = parse_structure(lines)
    formula = write_formula(atoms)
    facts = Facts()
    facts.add("technique", "structure")
    facts.add("format", "MDL molfile")
    facts.add("title", lines[0])
    facts.add("formula", formula)
    facts.add("atoms", len(atoms))
    facts.add("bonds", bonds)
    rows: list[list[Cell]] = [
        [number, atom.element, *atom.place, atom.charge] for number, atom in enumerate(atoms, start=1)
    ]
    columns = [Column("Atom"), Column("Element"), Column("x"), Column("y"), Column("z"), Column("Charge")]
    return Output(
        run=facts.as_json(), artefacts=[Table(formula, columns, rows).artefact("atoms.json")], warnings=doubts
    )


def parse_structure(lines: list[str]) -> tuple[list[Atom], int, list[str]]:
    try:
        atom_count, bond_count = int(lines[COUNTS_LINE][:3]), int(lines[COUNTS_LINE][3:6])
        first_bond = COUNTS_LINE + 1 + atom_count
        atoms = [parse_atom(lines[number]) for number in range(COUNTS_LINE + 1, first_bond)]
        for line in lines[first_bond : first_bond + bond_count]:
            add_bond(atoms, line)
    except (ValueError, IndexError) as error:
        raise Unreadable("Its atoms and bonds are not what it counts: damaged, or a part is missing.") from error
    if not any(line.startswith("M  END") for line in lines[first_bond + bond_count :]):
        raise Unreadable("It has no end: a part of the file is missing.")
    add_properties(atoms, lines[first_bond + bond_count :])
    is_followed = BOND.fullmatch(lines[first_bond + bond_count]) is not None
    return atoms, bond_count, ["It has more bonds than it counts: lines may stand there twice."] if is_followed else []


def parse_atom(line: str) -> Atom:
    place = (float(line[:10]), float(line[10:20]), float(line[20:30]))
    element = line[31:34].strip()
    if not element.isalpha():
        raise ValueError(line)
    return Atom(HYDROGENS.get(element, element), place, CHARGES.get(int(line[36:39].strip() or 0), 0))


def add_bond(atoms: list[Atom], line: str) -> None:
    first, second, kind = int(line[:3]), int(line[3:6]), int(line[6:9])
    if min(first, second) < 1:
        raise ValueError(line)
    for number in (first, second):
        atoms[number - 1].bonds += AROMATIC_ORDER if kind == AROMATIC else kind


def add_properties(atoms: list[Atom], lines: list[str]) -> None:
    """Charges and radicals of the property block take the place of those beside the atoms."""
    if any(line.startswith(("M  CHG", "M  RAD")) for line in lines):
        for atom in atoms:
            atom.charge = 0
    for line in lines:
        numbers = [int(part) for part in line[9:].split()] if line.startswith(("M  CHG", "M  RAD")) else []
        for number, value in zip(numbers[::2], numbers[1::2], strict=False):
            if not 1 <= number <= len(atoms):
                raise Unreadable("A charge belongs to an atom that is not there.")
            if line.startswith("M  CHG"):
                atoms[number - 1].charge = value
            else:
                atoms[number - 1].is_radical = value == 2


def write_formula(atoms: list[Atom]) -> str:
    """In the order of Hill: carbon, hydrogen, then by the alphabet."""
    counted = Counter(atom.element for atom in atoms)
    counted["H"] += sum(atom.hydrogens for atom in atoms)
    first = ["C", "H"] if counted["C"] else []
    order = [*first, *sorted(set(counted) - set(first))]
    return "".join(
        f"{element}{counted[element] if counted[element] > 1 else ''}" for element in order if counted[element]
    )
