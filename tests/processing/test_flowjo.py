"""FlowJo: every population has its count, however deep it lies."""

from processing.processors.asm.reader import read
from processing.readings import Kind
from tests.processing.here import documents, read_here

GATING = "http://www.isac-net.org/std/Gating-ML/v2.0"
WORKSPACE = f"""<Workspace version="20.0" modDate="Fri Jan 10 10:00:00 UTC 2025" flowJoVersion="10.8.1"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:gating="{GATING}/gating"
 xsi:schemaLocation="{GATING}/transformations a.xsd {GATING}/gating b.xsd {GATING}/datatypes c.xsd">
<Cytometers><Cytometer name="A" cyt="LSR" manufacturer="BD" serialnumber="1"/></Cytometers>
<SampleList><Sample><Keywords><Keyword name="$CYT" value="LSR"/></Keywords>
<SampleNode name="a.fcs" count="1000" sampleID="1"><Subpopulations><Population name="Cells" count="800">
<Subpopulations><Population name="Singlets" count="700"><Subpopulations><Population name="Live" count="0"/>
</Subpopulations></Population></Subpopulations></Population></Subpopulations></SampleNode></Sample></SampleList>
</Workspace>"""


def test_a_population_within_a_population_keeps_its_count(tmp_path):
    output = read_here(read, tmp_path / "gates.wsp", WORKSPACE, instrument_type="flowjo")

    tables = documents(output, Kind.TABLE)
    counts = [table for table in tables if "count" in [column["name"] for column in table.get("columns", [])]]
    assert [row[-2:] for row in counts[0]["rows"]] == [["a.fcs", 1000], ["Cells", 800], ["Singlets", 700], ["Live", 0]]
