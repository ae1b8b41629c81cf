// The main job and a metadata filter with the types of openapi-typescript, called by openapi-fetch: URL TOKEN INSTRUMENT.
import assert from "node:assert";
import createClient from "openapi-fetch";
import type { paths } from "./schema";

const CONTENT = "well,value\nB3,0.5\n";
const [url, token, instrumentId] = process.argv.slice(2);
const service = createClient<paths>({
  baseUrl: `${url}/api/v1`,
  headers: { Authorization: `Bearer ${token}` },
});

await service.POST("/instruments", { body: { id: instrumentId } });
for (const [run_id, analyst] of [
  ["7", "Jenny"],
  ["8", "Rosa"],
]) {
  await service.POST("/instruments/{instrumentId}/runs", {
    params: { path: { instrumentId } },
    body: { run_id, metadata: { analyst } },
  });
}
const ticket = (
  await service.POST("/instruments/{instrumentId}/runs/{runId}/request-upload-url", {
    params: { path: { instrumentId, runId: "7" } },
    body: { filename: "raw.csv", size_bytes: CONTENT.length },
  })
).data!;
const sent = await fetch(ticket.upload_url!, { method: "PUT", headers: ticket.headers, body: CONTENT });
assert.equal(sent.ok, true);
const path = { fileId: ticket.file_id };
await service.PATCH("/files/{fileId}", { params: { path }, body: { status: "uploaded" } });

const query = { instrument_id: [instrumentId], metadata: { analyst: "Jenny" } };
const found = (await service.GET("/instrument-runs", { params: { query } })).data!;
assert(typeof found !== "string"); // as application/x-ndjson it would be text
assert.deepEqual(
  found.data.map((run) => run.run_id),
  ["7"],
);
const stored = await service.GET("/files/{fileId}/download", { params: { path }, parseAs: "text" });
assert.equal(stored.data, CONTENT);
