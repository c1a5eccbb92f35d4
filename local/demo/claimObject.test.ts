import { describe, expect, it } from 'vitest'
import { type ClaimObject, decidedAt, isTrue } from './claimObject.ts'

const METADATA = { name: 'default-x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const claim = (status?: ClaimObject['status'], annotations?: Record<string, string>): ClaimObject => ({
  metadata: { ...METADATA, ...(annotations === undefined ? {} : { annotations }) },
  ...(status === undefined ? {} : { status }),
})

describe('a condition of a claim', () => {
  it.each<[string, ClaimObject['status'], boolean]>([
    ['no status', undefined, false],
    ['no conditions', {}, false],
    ['another condition', { conditions: [{ type: 'Launched', status: 'True' }] }, false],
    ['it, and it is not so', { conditions: [{ type: 'Registered', status: 'False' }] }, false],
    ['it, and nobody knows', { conditions: [{ type: 'Registered', status: 'Unknown' }] }, false],
    [
      'it among others',
      {
        conditions: [
          { type: 'Launched', status: 'False' },
          { type: 'Registered', status: 'True' },
        ],
      },
      true,
    ],
  ])('of a claim with %s', (_what, status, want) => expect(isTrue(claim(status), 'Registered')).toBe(want))
})

describe('a claim was decided', () => {
  it('when it says, else when it was made', () => {
    expect(decidedAt(claim(undefined, { 'joiner.dev/decided-at': '1767225600123' }))).toBe(1767225600123)
    expect(decidedAt(claim(undefined, {}))).toBe(Date.parse('2026-01-01T00:00:00Z'))
  })
})
