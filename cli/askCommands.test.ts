import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** A program that loads the commands and prints the packages that were loaded. */
const LOADS = `
const { registerHooks } = await import('node:module')
const packages = new Set()
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url)?.[1]
    if (name !== undefined) packages.add(name)
    return found
  },
})
await import('./askCommands.ts')
console.log(JSON.stringify([...packages]))`

it('npx joiner explain loads no package: that would take longer than the answer', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', LOADS], {
    cwd: join(import.meta.dirname),
    encoding: 'utf8',
  })
  expect({ packages: JSON.parse(stdout || '[]'), stderr }).toEqual({ packages: [], stderr: '' })
})
