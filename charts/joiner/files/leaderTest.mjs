// Asks each replica until one leads and is ready, for a minute unless told otherwise.
import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'

const { SHIM, PORT, PATIENCE_SECONDS = '60' } = process.env
const ask = async (host, path) => {
  const answer = await fetch(`http://${host}:${PORT}${path}`, { signal: AbortSignal.timeout(5_000) })
  return { ok: answer.ok, text: await answer.text() }
}

async function look() {
  const seen = []
  for (const { address, family } of await lookup(SHIM, { all: true })) {
    const host = family === 6 ? `[${address}]` : address
    const [metrics, ready] = [await ask(host, '/metrics'), await ask(host, '/readyz')]
    const leads = /^joiner_shim_leader 1$/m.test(metrics.text)
    seen.push(`${address}: ${leads ? 'leads' : 'waits'}, ${ready.text.trim()}`)
    if (leads && ready.ok) return { isGood: true, seen }
  }
  return { isGood: false, seen }
}

let last = { isGood: false, seen: [] }
const deadline = Date.now() + Number(PATIENCE_SECONDS) * 1_000
while (!last.isGood && Date.now() < deadline) {
  last = await look().catch((error) => ({ isGood: false, seen: [String(error.cause ?? error)] }))
  if (!last.isGood) await pause(1_000)
}
console.log(last.seen.join('\n') || 'no replica has an address')
process.exitCode = last.isGood ? 0 : 1
