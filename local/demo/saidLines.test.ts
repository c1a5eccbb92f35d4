import { describe, expect, it } from 'vitest'
import { createSaidLines } from './saidLines.ts'

const said = (message: string): string => JSON.stringify({ at: 1, level: 'info', message })

describe('waiting for a line of the app', () => {
  it('ends with the first that is like it, whoever says what in between', async () => {
    const lines = createSaidLines()
    const waiting = lines.when(/^decision /, 60_000)
    lines.listen('the shim posts')
    lines.listenToApp(said('catching up'))
    lines.listenToApp(said('decision 7'))
    lines.listenToApp(said('decision 8'))
    expect(await waiting).toMatchObject({ message: 'decision 7' })
    expect(lines.ofApp().map(({ message }) => message)).toEqual(['catching up', 'decision 7', 'decision 8'])
  })

  it('ends in any case, and says what was said instead', async () => {
    const lines = createSaidLines()
    lines.listen('the shim posts')
    lines.listenToApp(said('catching up'))
    await expect(lines.when(/^decision /, 1)).rejects.toThrow(
      /nothing like \/\^decision \/; what was said last:\nthe shim posts\n.*catching up/,
    )
  })

  it('does not hear what was said before', async () => {
    const lines = createSaidLines()
    lines.listenToApp(said('decision 7'))
    await expect(lines.when(/^decision /, 1)).rejects.toThrow(/decision 7/)
    lines.forget()
    expect(lines.ofApp()).toEqual([])
  })
})
