import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createProjectedToken } from './projectedToken.ts'

const SIGNAL = new AbortController().signal

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-projected-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let version = 0
  /** Writes a token as the kubelet does: a folder for each version, and a link that is moved to the newest. */
  const project = (text: string): void => {
    const data = `..version-${++version}`
    mkdirSync(join(folder, data))
    writeFileSync(join(folder, data, 'token'), text)
    symlinkSync(data, join(folder, '..next'))
    renameSync(join(folder, '..next'), join(folder, '..data'))
  }
  const file = join(folder, 'token')
  symlinkSync(join('..data', 'token'), file)
  return { source: createProjectedToken(file), file, project }
}

describe('the token that kubelet projects', () => {
  it('is the one that is there now, without a restart and without asking anybody', async () => {
    const { source, project } = setUp()
    for (const token of ['a.b.c', 'd.e.f\n']) {
      project(token)
      expect(await source.token(SIGNAL)).toEqual({ token: token.trim() })
    }
    source.forget()
    expect(await source.token(SIGNAL)).toEqual({ token: 'd.e.f' })
  })

  it.each([
    ['is not there', undefined, 'ENOENT'],
    ['is empty', ' \n', 'it is empty'],
    ['is half written', 'a.b', 'no token'],
    ['would end a header', 'a.b.c\nx-forwarded-for: me', 'no token'],
  ])('is told to be missing when the file %s, by file and remedy, and is there once it comes', async (_, text, want) => {
    const { source, file, project } = setUp()
    if (text !== undefined) project(text)
    const thrown = await source.token(SIGNAL).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ problem: { code: 'INPUT.UNAUTHENTICATED', message: expect.stringContaining(want) } })
    expect(thrown).toMatchObject({ problem: { message: expect.stringContaining(`no token in file ${file}`) } })
    expect(thrown).toMatchObject({ problem: { message: expect.stringContaining('serviceAccountToken') } })
    project('a.b.c')
    expect(await source.token(SIGNAL)).toEqual({ token: 'a.b.c' })
  })
})
