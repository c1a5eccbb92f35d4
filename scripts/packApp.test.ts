import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from './floors.ts'
import { packApp, startPackage } from './packApp.ts'

// The folder is inside the repository, where every package is found. A package that starts only there must not pass.
mkdirSync(join(repositoryRoot, '.local'), { recursive: true })
const folder = mkdtempSync(join(repositoryRoot, '.local/packed-'))
const relative = folder.slice(repositoryRoot.length + 1)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const REGISTER = `
import { createRequire } from 'node:module'
const core = createRequire(import.meta.url)('@azure/functions-core')
core.setProgrammingModel({})
core.registerFunction({ name: 'one', bindings: {} }, () => {})
`

const PACKAGES: { readonly [sentence: string]: { readonly main: string; readonly starts: boolean } } = {
  'one that needs nothing but the worker starts': { main: REGISTER, starts: true },
  'one that refuses the settings of the sample does not': {
    main: `console.error('error: setting A: is wrong')\n${REGISTER}`,
    starts: false,
  },
  'one that needs a package does not': { main: `import '@azure/functions'\n${REGISTER}`, starts: false },
  'one that registers nothing does not': { main: 'export {}', starts: false },
  'one that lacks a part does not': { main: `import './part.mjs'\n${REGISTER}`, starts: false },
}

describe('a package of the function app, where there is nothing else', () => {
  for (const [sentence, { main, starts }] of Object.entries(PACKAGES)) {
    it(sentence, async () => {
      writeFileSync(join(folder, 'main.mjs'), main)
      packApp(repositoryRoot, relative)
      const { problem, output } = await startPackage(repositoryRoot, relative)
      expect(problem === undefined, output).toBe(starts)
    })
  }
})
