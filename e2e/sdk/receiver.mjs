// A receiver of webhooks that checks signatures with Node's own crypto, as the specification says. It prints its port, and then one
// line of JSON for each request. It reads the secret from standard input, since the secret is known only after the port.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

let secret = "";
createInterface({ input: process.stdin }).on("line", (line) => (secret = line));

function isRight(header, raw) {
  const parts = Object.fromEntries((header ?? "").split(",").map((part) => part.split("=")));
  const want = createHmac("sha256", secret).update(`${parts.t}.`).update(raw).digest();
  const sent = Buffer.from(parts.v1 ?? "", "hex");
  return sent.length === want.length && timingSafeEqual(sent, want) && Math.abs(Date.now() / 1000 - Number(parts.t)) < 300;
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const raw = Buffer.concat(chunks);
    const body = JSON.parse(raw);
    const line = {
      signed: isRight(request.headers["x-service-signature"], raw),
      event: request.headers["x-service-event"],
      same: request.headers["x-service-delivery"] === String(body.delivery_id) && request.headers["x-service-event"] === body.event,
      issue: body.issue?.id ?? 0,
      status: body.issue?.status ?? "",
      brief: body.brief?.markdown ?? "",
    };
    console.log(JSON.stringify(line));
    response.writeHead(200).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
