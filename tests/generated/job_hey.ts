// The main job and a metadata filter through what @hey-api/openapi-ts made of the document: URL TOKEN INSTRUMENT.
import assert from "node:assert";
import * as ids from "./hey";
import { client } from "./hey/client.gen";

const CONTENT = "well,value\nB3,0.5\n";
const [url, token, instrumentId] = process.argv.slice(2);
client.setConfig({ baseUrl: `${url}/api/v1`, auth: token, throwOnError: true });

await ids.instrumentCreate({ body: { id: instrumentId } });
for (const [run_id, analyst] of [
  ["7", "Jenny"],
  ["8", "Rosa"],
]) {
  await ids.runCreate({ path: { instrumentId }, body: { run_id, metadata: { analyst } } });
}
const ticket = (
  await ids.uploadRequestUrl({
    path: { instrumentId, runId: "7" },
    body: { filename: "raw.csv", size_bytes: CONTENT.length },
  })
).data!;
const sent = await fetch(ticket.upload_url!, { method: "PUT", headers: ticket.headers, body: CONTENT });
assert.equal(sent.ok, true);
await ids.filePartialUpdate({ path: { fileId: ticket.file_id }, body: { status: "uploaded" } });

const query = { instrument_id: [instrumentId], metadata: { analyst: "Jenny" } };
const found = (await ids.runSearchList({ query })).data!;
assert.deepEqual(
  found.data.map((run) => run.run_id),
  ["7"],
);
const stored = await ids.fileContentDownload({ path: { fileId: ticket.file_id }, parseAs: "text" });
assert.equal(stored.data, CONTENT);
