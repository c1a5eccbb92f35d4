import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bicepLiteral } from './bicepLiteral.ts'
import { checkCompiled, hasBicep } from './checkCompiled.ts'

const TEXT = `param name string

resource one 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: name
  location: 'eastus'
}
`
const PREDICTED = {
  id: '/x',
  type: 'Microsoft.ManagedIdentity/userAssignedIdentities',
  apiVersion: '2024-11-30',
  name: 'a',
  location: 'eastus',
}

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'joiner-compiler-'))
  mkdirSync(join(root, 'infra'))
  writeFileSync(join(root, 'infra/main.bicep'), TEXT)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

type Play = { readonly said?: string; readonly formatted?: string; readonly predicted?: readonly object[] }

/** Checks with a program in the place of the compiler, which keeps what it was asked. */
async function check({ said = '', formatted = TEXT, predicted = [PREDICTED] }: Play) {
  const folder = join(root, 'bin')
  mkdirSync(folder)
  const program = `#!${process.execPath}
const fs = require('node:fs')
const [command, file] = process.argv.slice(2)
fs.appendFileSync(${JSON.stringify(join(root, 'asked'))}, process.argv.slice(2).join(' ') + '\\n')
if (command === 'build') console.error(${JSON.stringify(said)})
if (command === 'format') process.stdout.write(${JSON.stringify(formatted)})
if (command === 'snapshot') {
  fs.appendFileSync(${JSON.stringify(join(root, 'asked'))}, fs.readFileSync(file, 'utf8'))
  fs.writeFileSync(file.replace('.bicepparam', '.snapshot.json'), ${JSON.stringify(JSON.stringify({ predictedResources: predicted }))})
}
`
  writeFileSync(join(folder, 'bicep'), program)
  chmodSync(join(folder, 'bicep'), 0o755)
  expect([hasBicep(folder), hasBicep(root)]).toEqual([true, false])
  const findings = await checkCompiled({
    root,
    env: { PATH: folder },
    sources: {
      files: ['infra/main.bicep'],
      layers: [{ main: 'infra/main.bicep', sets: [{ name: 'one', parameters: { name: 'a' } }] }],
      readText: (path) => readFileSync(join(root, path), 'utf8'),
    },
  })
  return { findings, asked: readFileSync(join(root, 'asked'), 'utf8') }
}

describe('the compiler', () => {
  it('is asked to build and format each file, and to predict each set of parameters', async () => {
    const { findings, asked } = await check({})
    expect(findings).toEqual([])
    expect(asked).toMatch(
      /^build infra\/main\.bicep --stdout\nformat infra\/main\.bicep --stdout\nsnapshot \S+\.bicepparam --mode overwrite /,
    )
    expect(asked).toContain(`using '${join(root, 'infra/main.bicep')}'\nparam 'name' = 'a'`.replace("'name'", 'name'))
  })

  it('tells a warning with its rule and line, and those of a module with the module only', async () => {
    const said = [
      `${join(root, 'infra/main.bicep')}(3,7) : Warning no-unused-params: Parameter "x" is declared but never used. [https://aka.ms/b]`,
      `${join(root, 'infra/other.bicep')}(1,1) : Warning BCP081: no types [https://aka.ms/b]`,
    ].join('\n')
    expect((await check({ said })).findings).toEqual([
      expect.objectContaining({
        file: 'infra/main.bicep',
        line: 3,
        rule: 'no-unused-params',
        message: expect.stringContaining('Parameter "x"'),
      }),
    ])
  })

  it('tells the first line that the formatter writes otherwise', async () => {
    const formatted = TEXT.replace('  name: name\n', '  name:  name\n')
    expect((await check({ formatted })).findings).toEqual([expect.objectContaining({ line: 4, rule: 'bicep-format' })])
  })

  it.each<[string, readonly object[], number]>([
    ['another body', [{ ...PREDICTED, location: 'westeurope' }], 2],
    ['a member more', [{ ...PREDICTED, tags: {} }], 2],
    ['nothing', [], 1],
    ['a resource more', [PREDICTED, { ...PREDICTED, name: 'b' }], 1],
  ])('tells of a prediction with %s', async (_, predicted, count) => {
    const { findings } = await check({ predicted })
    expect(findings.map(({ rule }) => rule)).toEqual(Array.from({ length: count }, () => 'bicep-snapshot'))
  })

  it('may leave to Azure what only Azure knows', async () => {
    const location = "[reference('/x', '2025-01-01').location]"
    expect((await check({ predicted: [{ ...PREDICTED, location }] })).findings).toEqual([])
  })
})

describe('a value', () => {
  it('is written as Bicep writes it', () =>
    expect(bicepLiteral({ a: [`it's ${'$'}{x}\\`, 1, null, true] })).toBe("{\n'a': [\n'it\\'s \\\${x}\\\\'\n1\nnull\ntrue\n]\n}"))
})
