import { describe, expect, it } from 'vitest'
import { createTerminal } from './terminal.ts'

function recorded() {
  const lines: string[] = []
  const terminal = createTerminal({ write: (text) => lines.push(text), now: () => Date.UTC(2026, 0, 1, 12, 0, 1, 250) })
  return { lines, terminal }
}

describe('the lines of a run', () => {
  it('carry their time', () => {
    const { lines, terminal } = recorded()
    terminal.say('ready')
    expect(lines).toEqual(['12:00:01.2  ready\n'])
  })

  it('are over with the last one: what the parts say while they end is not told', () => {
    const { lines, terminal } = recorded()
    terminal.say('stopping')
    terminal.hush()
    terminal.say('node joined')
    terminal.close('stopped')
    terminal.say('node is ready')
    terminal.hush()
    terminal.close('stopped twice')
    expect(lines.map((line) => line.trim().slice(12))).toEqual(['stopping', 'stopped'])
  })
})
