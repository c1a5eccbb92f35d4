import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runHelm } from './runHelm.ts'

/** A program in the place of Helm that prints its input. */
const SAY = `
const { argv, env } = process
const file = argv[argv.indexOf('--values') + 1]
const values = argv.includes('--values') ? require('node:fs').readFileSync(file, 'utf8') : undefined
console.log(JSON.stringify({ args: argv.slice(1), values, file, home: env.HOME, names: Object.keys(env).sort() }))
`
type Said = {
  readonly args: readonly string[]
  readonly values?: string
  readonly file: string
  readonly home: string
  readonly names: readonly string[]
}

async function said(values?: object): Promise<Said> {
  const { out } = await runHelm(process.execPath, ['-e', SAY, '--', 'template'], values)
  return JSON.parse(out)
}

it('gives values as a file, in a home that is gone afterwards', async () => {
  const { args, values, file, home, names } = await said({ replicas: 2 })
  expect(args).toEqual(['template', '--values', file])
  expect(values).toBe('{"replicas":2}')
  expect(file.startsWith(home)).toBe(true)
  expect(existsSync(home)).toBe(false)
  expect(names).toEqual(['HELM_CACHE_HOME', 'HELM_CONFIG_HOME', 'HELM_DATA_HOME', 'HOME', 'PATH'])
})

it('gives no file without values', async () => expect((await said()).args).toEqual(['template']))

it('tells the exit code, and -1 with the reason where there is no program', async () => {
  expect(await runHelm(process.execPath, ['-e', 'console.error("no"); process.exit(3)'])).toEqual({ code: 3, out: '', errors: 'no\n' })
  expect(await runHelm('/no/such/helm', [])).toMatchObject({ code: -1, errors: expect.stringContaining('ENOENT') })
})
