import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { STEPS } from '../../scripts/check.ts'
import { repositoryRoot, sourceFiles, walk } from '../../scripts/floors.ts'
import { temporaryTree } from './temporaryTree.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
/** A constant, so that the strings below do not count as suppressions in this file. */
const SLASHES = '//'
const packageJson = JSON.parse(read('package.json'))
const BIN = join(repositoryRoot, 'node_modules/.bin')
/** The environment of an npm script: the project's programs come first in the path. */
const npmEnvironment = { ...process.env, PATH: `${BIN}:${process.env['PATH']}` }

function run(command: string, args: readonly string[], cwd: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(join(BIN, command), [...args], { cwd, env: npmEnvironment, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

describe('Node', () => {
  it('comes from the project in npm scripts, whatever the machine has', () => {
    const version = execFileSync('/usr/bin/env', ['node', '--version'], { env: npmEnvironment, encoding: 'utf8' }).trim()
    expect(version).toBe(`v${packageJson.devDependencies.node}`)
  })

  it('is new enough for the tests that run now', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    expect(major * 100 + minor).toBeGreaterThanOrEqual(2213)
  })

  it('is found by the first line of the tools that are scripts', () => {
    for (const tool of ['vitest', 'tsc', 'knip', 'oxlint'])
      expect(readFileSync(join(BIN, tool), 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
  })
})

describe('packages', () => {
  it('pin vitest and its coverage to the same version', () => {
    expect(packageJson.devDependencies['@vitest/coverage-v8']).toBe(packageJson.devDependencies.vitest)
  })

  it('are pinned exactly', () => {
    const versions = Object.entries<string>({ ...packageJson.dependencies, ...packageJson.devDependencies })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  it('are locked without the address of a registry', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/)
  })
})

describe('images', () => {
  it('are built on others by their digest, so that the same sources give the same image', () => {
    const files = walk(repositoryRoot, (name) => /(^|\/)(Docker|Container)file/.test(name))
    const bases = files.flatMap((file) => [...read(file).matchAll(/^\s*FROM\s+(?:--\S+\s+)*(\S+)/gim)].map(([, base]) => base))
    expect(bases.length).toBeGreaterThan(0)
    expect(bases.filter((base) => !/@sha256:[0-9a-f]{64}$/.test(base ?? ''))).toEqual([])
  })
})

describe('files', () => {
  it('name no place of a particular machine', () => {
    const text = /\.(ts|mjs|json|md|ya?ml|bicep|sh|tpl|txt|html)$|Dockerfile$/
    const machinePath = /(^|[^A-Za-z0-9_.~-])\/(home|root|work|Users)\/[a-z]/m
    const files = [...walk(repositoryRoot, (name) => text.test(name) && name !== 'package-lock.json'), '.ci/run']
    expect(files.filter((file) => machinePath.test(read(file)))).toEqual([])
  })

  it('do not take `bench` from vitest, which has it no more', () => {
    expect(sourceFiles(repositoryRoot).filter((file) => /import \{[^}]*\bbench\b[^}]*\} from 'vitest'/.test(read(file)))).toEqual([])
  })

  it('mock no module', () => {
    const mock = /\bvi\.(do)?(un)?[mM]ock\(/
    expect(sourceFiles(repositoryRoot).filter((file) => mock.test(read(file)))).toEqual([])
  })
})

describe('the linter', () => {
  const cases: { readonly [sentence: string]: { readonly path: string; readonly source: string; readonly want: string | undefined } } = {
    'a floating promise': {
      path: 'shared/flows/a.ts',
      source: 'export function a(p: Promise<void>): void {\n  p.then(() => undefined)\n}\n',
      want: 'no-floating-promises',
    },
    'a promise where none is awaited': {
      path: 'local/a.ts',
      source: 'export const a = (): void => {\n  [1].forEach(async () => {})\n}\n',
      want: 'no-misused-promises',
    },
    'a switch that leaves a case out': {
      path: 'shared/model/a.ts',
      source: "export function a(x: 'b' | 'c'): number {\n  switch (x) {\n    case 'b':\n      return 1\n  }\n  return 2\n}\n",
      want: 'switch-exhaustiveness-check',
    },
    any: { path: 'shim/a.ts', source: 'export const a: any = 1\n', want: 'no-explicit-any' },
    'a non-null assertion': {
      path: 'shim/a.ts',
      source: 'export const a = (x: string | undefined): string => x!\n',
      want: 'no-non-null-assertion',
    },
    'new Date() in the model': { path: 'shared/model/a.ts', source: 'export const a = new Date()\n', want: 'no-restricted-globals' },
    'Math.random in the engine': {
      path: 'shared/engine/a.ts',
      source: 'export const a = Math.random()\n',
      want: 'no-restricted-properties',
    },
    'process in a port': { path: 'shared/ports/a.ts', source: 'export const a = process.pid\n', want: 'no-restricted-globals' },
    'node: in the base': {
      path: 'shared/base/a.ts',
      source: "import { readFileSync } from 'node:fs'\nexport const a = readFileSync\n",
      want: 'no-restricted-imports',
    },
    'a cast in the model': {
      path: 'shared/model/a.ts',
      source: 'export const a = (x: unknown): string => x as string\n',
      want: 'no-unsafe-type-assertion',
    },
    'no cast in the brand constructor': {
      path: 'shared/base/a.ts',
      source: 'export const a = (x: unknown): string => x as string\n',
      want: undefined,
    },
    'a suppression that suppresses nothing': {
      path: 'shim/a.ts',
      source: `${SLASHES} oxlint-disable-next-line no-var -- for no reason\nexport const a = 1\n`,
      want: 'Unused oxlint-disable directive',
    },
    'a file of 401 lines': { path: 'shim/a.ts', source: 'export const a = 1\n'.concat('export {}\n'.repeat(400)), want: 'max-lines' },
    'a function too deep': {
      path: 'shim/a.ts',
      source:
        'export function a(x: number): void {\n  if (x > 1) {\n    if (x > 2) {\n      if (x > 3) {\n        if (x > 4) a(0)\n      }\n    }\n  }\n}\n',
      want: 'max-depth',
    },
  }
  // One run over all cases: each case is a file of its own in the folder that it names.
  const rows = Object.entries(cases).map(([sentence, { path, source, want }], index) => ({
    sentence,
    file: path.replace('a.ts', `a${index}.ts`),
    source,
    want,
  }))
  let status: number | null = null
  let lines: readonly string[] = []

  beforeAll(() => {
    const removals: (() => void)[] = []
    const root = temporaryTree(Object.fromEntries(rows.map(({ file, source }) => [file, source])), (remove) => removals.push(remove))
    const result = run('oxlint', ['--deny-warnings', '-f', 'unix', 'shared', 'shim', 'local'], root)
    status = result.status
    lines = result.output.split('\n')
    for (const remove of removals) remove()
  })

  it('fails', () => expect(status).toBe(1))

  for (const { sentence, file, want } of rows) {
    it(`finds ${sentence}`, () => {
      const found = lines.filter((line) => line.startsWith(`${file}:`)).join('\n')
      if (want === undefined) expect(found).toBe('')
      else expect(found).toContain(want)
    })
  }
})

describe('the compiler without platform types', () => {
  for (const name of ['process', 'console', 'fetch', 'setTimeout', 'performance']) {
    it(`does not know ${name}`, () => {
      const root = temporaryTree({ 'shared/model/a.ts': `export const a = ${name}\n` })
      expect(run('tsc', ['-p', 'tsconfig.core.json'], root).output).toContain(`'${name}'`)
      expect(run('tsc', ['-p', 'tsconfig.json'], root).status).toBe(0)
    })
  }
})

describe('the formatter', () => {
  it('fails on a file it would write otherwise', () => {
    const root = temporaryTree({ 'shim/a.ts': 'export   const a = "1";\n' })
    expect(run('biome', ['check', '--vcs-enabled=false', 'shim'], root).status).toBe(1)
  })
})

describe('npm run check', () => {
  it('goes from cheap to dear', () => {
    expect(STEPS.map((step) => step.name)).toEqual([
      'format',
      'lock file',
      'types',
      'types of the core, no platform',
      'lint',
      'floors',
      'dead code',
      'workflows',
      'infra',
      'npm test, coverage',
      'plans of the bench in range',
      'casts and suppressions',
      'bundles',
    ])
  })
})
