"""MDL molfiles (V2000 and V3000): atoms, bonds, and the formula with the hydrogens that chemists leave out."""

import re
from collections import Counter
from dataclasses import dataclass

from processing.facts import Facts
from processing.formats.table import Cell, Column, Table
from processing.readings import Input, Output, Unreadable

BOND = re.compile(r"[ \d]{2}\d[ \d]{2}\d[ \d]{2}\d(?:[ \d-]{3})*\s*")
THIRD_VERSION = "M  V30 "
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
    is_third = len(lines) > COUNTS_LINE and "V3000" in lines[COUNTS_LINE]
    atoms, bonds, doubts = parse_third_version(lines) if is_third else parse_structure(lines)
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


def parse_third_version(lines: list[str]) -> tuple[list[Atom], int, list[str]]:
    """V3000: words in place of columns; a hyphen at the end joins two lines. Atoms have numbers of any kind."""
    try:
        words = list_words(lines)
        atom_count, bond_count = next((int(row[1]), int(row[2])) for row in words if row[0] == "COUNTS")
        atoms = {row[0]: parse_third_atom(row) for row in list_part(words, "ATOM")}
        bonds = list_part(words, "BOND")
        for _, kind, first, second, *_ in bonds:
            for number in (first, second):
                atoms[number].bonds += AROMATIC_ORDER if int(kind) == AROMATIC else int(kind)
    except (ValueError, IndexError, KeyError, StopIteration) as error:
        raise Unreadable("Its atoms and bonds are damaged, or a part is missing.") from error
    if (len(atoms), len(bonds)) != (atom_count, bond_count):
        raise Unreadable("Its atoms and bonds are not what it counts: damaged, or a part is missing.")
    if not any(line.startswith("M  END") for line in lines):
        raise Unreadable("It has no end: a part of the file is missing.")
    return list(atoms.values()), bond_count, []


def list_words(lines: list[str]) -> list[list[str]]:
    text = "\n".join(line.removeprefix(THIRD_VERSION) for line in lines if line.startswith(THIRD_VERSION))
    return [words for line in text.replace("-\n", "").splitlines() if (words := line.split())]


def list_part(words: list[list[str]], name: str) -> list[list[str]]:
    """What stands between its begin and its end; ValueError: one of them is missing. A structure may have no bonds."""
    if name == "BOND" and ["BEGIN", name] not in words:
        return []
    return words[words.index(["BEGIN", name]) + 1 : words.index(["END", name])]


def parse_third_atom(words: list[str]) -> Atom:
    """Number, element, x, y, z, the atom's number in a reaction, then keywords with values."""
    _, element, x, y, z, _, *stated = words
    if not element.isalpha():
        raise ValueError(element)
    said = dict(one.split("=", 1) for one in stated if "=" in one)
    place, charge = (float(x), float(y), float(z)), int(said.get("CHG", 0))
    return Atom(HYDROGENS.get(element, element), place, charge, is_radical=said.get("RAD") == "2")


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
