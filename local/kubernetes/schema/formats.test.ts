import { describe, expect, it } from 'vitest'
import { formatProblem } from './formats.ts'

const ID = '0a1b2c3d-4e5f-6789-abcd-ef0123456789'

const TEXTS: readonly [format: string, text: string, breaks: boolean][] = [
  ['uuid', ID, false],
  ['uuid', ID.toUpperCase(), false],
  ['uuid', ID.replaceAll('-', ''), false],
  ['uuid', `x${ID}`, true],
  ['uuid', `${ID}x`, true],
  ['uuid', ID.slice(1), true],
  ['uuid', ID.slice(0, -1), true],
  ['uuid', ID.replace('4e5f', '4e5'), true],
  ['uuid', ID.replace('0', 'g'), true],
  ['ipv4', '10.0.255.1', false],
  ['ipv4', '10.0.256.1', true],
  ['ipv4', '10.0.1', true],
  ['cidr', '10.0.0.0/8', false],
  ['cidr', '10.0.0.0', true],
  ['byte', 'YQ==', false],
  ['byte', 'YQ=', true],
  ['date', '2026-02-03', false],
  ['date', '2026-13-03', true],
  ['date-time', '2026-02-03T04:05:06Z', false],
  ['date-time', '2026-02-03T04:05Z', true],
  ['duration', '1h30m', false],
  ['duration', '1x', true],
  ['anything else', 'as it likes', false],
]

describe('a text of a format', () => {
  it.each(TEXTS)('%s: %s, breaks it: %s', (format, text, breaks) => expect(formatProblem(format, text)).toBe(breaks))
})
