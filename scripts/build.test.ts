import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Bundle, buildAll, bundle, oversize } from './build.ts'
import { repositoryRoot } from './floors.ts'
import { runCommand } from './runCommand.ts'

const BUNDLE: Bundle = { entry: 'a/main.ts', out: 'dist/a/main.mjs', external: ['outside'], ceilingBytes: 100 }

/** A program with all kinds of imports: a module that ships with it, a built-in module, a CommonJS module, and a part that is imported on demand. */
const PROGRAM = {
  'a/main.ts': `import { type Kind, named } from './named.ts'
import old from './old.cjs'
const kind: Kind = 'x'
export async function start(): Promise<string> {
  const { part } = await import('./part.ts')
  return [named.name, old.path, part, kind].join(' ')
}
export const outside = (): Promise<unknown> => import('outside')
console.log(await start())
`,
  'a/named.ts': `export type Kind = 'x'
/*! Kept. */
export function named(): void {}
`,
  'a/old.cjs': `module.exports = { path: require('node:path').basename(__filename) }\n`,
  'a/part.ts': `export const part = 'part'\n`,
}

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'build-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}

async function built() {
  const root = treeOf(PROGRAM)
  const bytes = await bundle(root, BUNDLE)
  const out = join(root, 'dist/a')
  const files = readdirSync(out)
  return { root, bytes, files, textOf: (file: string) => readFileSync(join(out, file), 'utf8') }
}

describe('a bundle', () => {
  it('runs, with the names of its functions and what is CommonJS', async () => {
    const { root } = await built()
    const { code, output } = await runCommand(process.execPath, ['dist/a/main.mjs'], { cwd: root })
    expect({ code, output: output.trim() }).toEqual({ code: 0, output: 'named main.mjs part x' })
  })

  it('has a file for what is imported on demand, and maps and licences beside', async () => {
    const { files, textOf } = await built()
    const parts = files.filter((file) => /^part-\w+\.mjs$/.test(file))
    expect(parts).toHaveLength(1)
    expect(files).toContain('main.mjs.map')
    expect(textOf('main.mjs')).toMatch(/sourceMappingURL=main\.mjs\.map\s*$/)
    expect(
      files
        .filter((file) => file.endsWith('LEGAL.txt'))
        .map(textOf)
        .join(''),
    ).toContain('Kept.')
    expect(textOf('main.mjs')).not.toContain('Kept.')
  })

  it('is minified, and leaves out what the platform has', async () => {
    const { textOf } = await built()
    expect(textOf('main.mjs')).toContain('import("outside")')
    expect(textOf('main.mjs').split('\n').length).toBeLessThan(10)
  })

  it('is as large as its code', async () => {
    const { bytes, files, textOf } = await built()
    const code = files.filter((file) => file.endsWith('.mjs')).map((file) => Buffer.byteLength(textOf(file)))
    expect(bytes).toBe(code.reduce((sum, each) => sum + each, 0))
  })

  it('is nothing without an entry', async () => expect(await bundle(tmpdir(), BUNDLE)).toBeUndefined())

  it('may be as large as its ceiling', () => {
    expect(oversize(100, BUNDLE)).toBeUndefined()
    expect(oversize(101, BUNDLE)).toMatch(/^dist\/a\/main\.mjs has 101 bytes.* 100/)
  })
})

describe('a build of all bundles', () => {
  const two: readonly Bundle[] = ['a', 'b'].map((name) => ({
    entry: `${name}/main.ts`,
    out: `dist/${name}/main.mjs`,
    external: [],
    ceilingBytes: 1024 * 1024,
  }))
  const both = { 'a/main.ts': 'console.log(1)', 'b/main.ts': 'console.log(2)' }

  async function build(root: string, bundles: readonly Bundle[], cleans = false) {
    const lines: string[] = []
    const code = await buildAll({ root, bundles, cleans, say: (line) => lines.push(line) })
    return { code, lines }
  }

  it('says the size of each, and of what', async () => {
    const { code, lines } = await build(treeOf(both), two)
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [expect.stringMatching(/^dist\/a\/main\.mjs 0\.00 MiB of 1$/), expect.stringMatching(/^dist\/b\/main\.mjs 0\.00 MiB of 1$/)],
    })
  })

  it('passes visibly over what is not written yet', async () => {
    const { code, lines } = await build(treeOf({ 'b/main.ts': both['b/main.ts'] }), two)
    expect(code).toBe(0)
    expect(lines).toEqual([expect.stringMatching(/^skipped: a\/main\.ts /), expect.stringContaining('dist/b/main.mjs')])
  })

  it('fails where one is too large, and makes the others all the same', async () => {
    const root = treeOf(both)
    const { code, lines } = await build(
      root,
      two.map((each) => (each.entry.startsWith('a') ? { ...each, ceilingBytes: 1 } : each)),
    )
    expect(code).toBe(1)
    expect(lines[0]).toContain('its ceiling is 1:')
    expect(existsSync(join(root, 'dist/b/main.mjs'))).toBe(true)
  })

  it('removes what earlier builds left where that is asked for, and only beside its own files', async () => {
    const root = treeOf({ ...both, 'dist/a/part-old.mjs': '', 'dist/c/other.mjs': '' })
    await build(root, two)
    expect(readdirSync(join(root, 'dist/a'))).toContain('part-old.mjs')
    await build(root, two, true)
    expect(readdirSync(join(root, 'dist/a'))).not.toContain('part-old.mjs')
    expect(readdirSync(join(root, 'dist/c'))).toEqual(['other.mjs'])
  })

  describe('starts the function app', () => {
    const app: Bundle = {
      entry: 'functions/main.ts',
      out: 'dist/functions/main.mjs',
      external: ['@azure/functions-core'],
      ceilingBytes: 1024 * 1024,
    }
    const REGISTER = `import { createRequire } from 'node:module'
const core = createRequire(import.meta.url)('@azure/functions-core')
core.setProgrammingModel({})
core.registerFunction({ name: 'one', bindings: {} }, () => {})
`

    function appOf(main: string): string {
      const root = treeOf({ 'functions/main.ts': main })
      for (const file of ['package.json', 'host.json', 'local.settings.sample.json', 'scripts/startupSmoke.mjs'])
        cpSync(join(repositoryRoot, file), join(root, file))
      return root
    }

    it('that registers its functions', async () => {
      const root = appOf(REGISTER)
      const { code, lines } = await build(root, [app])
      expect({ code, registered: lines[0] }).toEqual({ code: 0, registered: expect.stringContaining('one') })
      expect(readdirSync(join(root, 'dist/functions'))).toEqual(expect.arrayContaining(['host.json', 'main.mjs', 'package.json']))
    })

    it('and fails where it does not start', async () => {
      const { code, lines } = await build(appOf('throw new Error("no")'), [app])
      expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: expect.stringContaining('does not start') })
    })
  })
})
