#!/usr/bin/env node
// npx joiner COMMAND: starts main.ts. A Node that runs no TypeScript hands over to the Node that `npm ci` brings.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))

if (process.features.typescript) await import('./main.ts')
else {
  const brought = ['../node_modules/node/bin/node', '../node_modules/node/bin/node.exe'].map(pathOf).find(existsSync)
  if (brought === undefined) {
    console.error(`joiner needs Node 22.18 or newer, and this is ${process.version}; install it, or run npm ci in ${pathOf('..')}`)
    process.exitCode = 1
  } else process.exitCode = await handOver(brought)
}

/** The terminal sends its signals to both processes, and the command decides when it ends. */
async function handOver(node) {
  const child = spawn(node, [pathOf('main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' })
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'close')
  return code ?? 1
}
