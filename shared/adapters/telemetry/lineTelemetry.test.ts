import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { createLineTelemetry, LINE_LEVELS } from './lineTelemetry.ts'

describe('lines', () => {
  it.each(LINE_LEVELS.map((least, index) => [least, LINE_LEVELS.slice(index)] as const))(
    'from %s on are %j and measures',
    (least, written) => {
      const lines: string[] = []
      const telemetry = createLineTelemetry({ now: () => NOW, sleep: () => Promise.resolve() }, (line) => void lines.push(line), least)
      for (const level of LINE_LEVELS) telemetry[level](`a line of ${level}`)
      telemetry.measure('decide_ms', 12, { cluster: 'demo' })
      expect(lines.map((line) => JSON.parse(line).level)).toEqual([...written, 'measure'])
    },
  )

  it('carry time, level, message and fields', () => {
    const lines: string[] = []
    createLineTelemetry({ now: () => NOW, sleep: () => Promise.resolve() }, (line) => void lines.push(line)).warn('late', {
      cluster: 'demo',
    })
    expect(JSON.parse(lines[0] ?? '')).toEqual({ at: NOW, level: 'warn', message: 'late', cluster: 'demo' })
  })
})
