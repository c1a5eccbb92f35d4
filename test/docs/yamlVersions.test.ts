/** All shipped YAML means the same in YAML 1.1, which kubectl, Helm and azd read, and in YAML 1.2. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, walk } from '../../scripts/floors.ts'
import { HELM, rendered, WITHOUT_HELM } from '../charts/helm.ts'
import { VALUE_SETS } from '../charts/valueSets.ts'
import { blocksOf, PAGES, read } from './pages.ts'
import { differencesOfVersions } from './yamlVersions.ts'

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name)
/** Templates are no YAML before Helm has rendered them. */
const TEMPLATES = 'charts/joiner/templates/'
/** Folders that `walk` leaves out, because their names begin with a dot. */
const HIDDEN = ['.github/workflows']
const files = [
  ...walk(repositoryRoot, isYaml),
  ...HIDDEN.flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder))
      .filter(isYaml)
      .map((name) => `${folder}/${name}`),
  ),
].filter((file) => !file.startsWith(TEMPLATES))
const blocks = PAGES.flatMap((page) => blocksOf(page, read(page))).filter(({ language }) => isYaml(`.${language}`))

describe('YAML that is shipped', () => {
  it('is found', () => {
    for (const file of ['examples/gpu.yaml', 'examples/quickstart/nodepool.yaml', 'azure.yaml', 'charts/joiner/values.yaml'])
      expect(files).toContain(file)
    expect(files.filter((file) => file.startsWith('.github/workflows/')).length).toBeGreaterThan(3)
    expect(blocks.length).toBeGreaterThan(1)
  })

  it.each(files)('%s means the same in both versions of YAML', (file) => expect(differencesOfVersions(read(file))).toEqual([]))

  it.each(blocks)('$page, line $line, means the same in both versions of YAML', ({ text }) =>
    expect(differencesOfVersions(text)).toEqual([]),
  )

  it.skipIf(HELM === undefined).each(Object.entries(VALUE_SETS))(
    `the chart with %s means the same in both versions of YAML${WITHOUT_HELM}`,
    async (_, { values, ...options }) => expect(differencesOfVersions(await rendered(values, options))).toEqual([]),
  )

  it.each([
    ['a: [N]', 'document 1.a[0]: false in YAML 1.1, N in YAML 1.2'],
    ['a: on', 'document 1.a: true in YAML 1.1, on in YAML 1.2'],
    ['a: yes', 'document 1.a: true in YAML 1.1, yes in YAML 1.2'],
    ['a: 0777', 'document 1.a: 511 in YAML 1.1, 777 in YAML 1.2'],
    ['a: 0o17', 'document 1.a: 0o17 in YAML 1.1, 15 in YAML 1.2'],
    ['a: 1:30', 'document 1.a: 90 in YAML 1.1, 1:30 in YAML 1.2'],
    ['a: 1_000', 'document 1.a: 1000 in YAML 1.1, 1_000 in YAML 1.2'],
    ['a: {}\n---\nb: {off: 1}', 'document 2.b.false: 1 in YAML 1.1, undefined in YAML 1.2'],
  ])('%s is found as a difference', (text, want) => expect(differencesOfVersions(text)).toContain(want))

  it.each(['a: "N"', 'a: true', 'a: 1m30s', "'on': 1", 'a: 10', 'a: 1e3', 'a: node'])('%s is no difference', (text) =>
    expect(differencesOfVersions(text)).toEqual([]),
  )
})

/** Sources that read or write YAML, but no YAML of Kubernetes. */
const OTHER_YAML = [
  'infra/check/rules/azureFiles.ts',
  'infra/check/rules/azureYaml.ts',
  'scripts/reference/chartValues.ts',
  'scripts/release/chartArchive.ts',
]

describe('sources that use YAML', () => {
  const sources = walk(repositoryRoot, (name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).filter(
    (path) =>
      /^(cli|functions|infra|local|scripts|shared|shim)\//.test(path) &&
      /import \{[^}]*\b(parse\w*|stringify)\b[^}]*\} from 'yaml'/.test(read(path)),
  )

  it('read and write it as Kubernetes does', () => {
    expect(sources.filter((path) => !/\bKUBE_YAML\b/.test(read(path)))).toEqual(OTHER_YAML)
  })
})
