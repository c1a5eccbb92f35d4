import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Bundle, bundle, oversize } from './build.ts'
import { runCommand } from './runCommand.ts'

const BUNDLE: Bundle = { entry: 'a/main.ts', out: 'dist/a/main.mjs', external: ['outside'], ceilingBytes: 100 }

/** A program that imports what ships with it, what the platform has, what is CommonJS, and a part on demand. */
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

async function built() {
  const root = mkdtempSync(join(tmpdir(), 'build-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(PROGRAM)) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
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
