import type { Scenarios } from './scenario.ts'

const DEFINED = { default: { labels: 'team=a' } } as const
const OPEN = { default: { needs: 'team in a b c' } } as const

/** Every operator on a label that the pool defines, and on one that it does not define. */
export const OPERATORS: Scenarios = {
  'O1 a pool that is not ready': {
    given: { pools: { default: { ready: false } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'POOL.NOT_READY' }, says: 'its class is not ready' },
  },
  'O1.1 no pool at all': { given: { pools: {}, pods: { p: {} } }, want: { claims: 0, unplaced: { p: 'POOL.NONE' } } },

  'O2 not defined: in': { given: { pods: { p: { needs: 'team=a' } } }, want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } } },
  'O2.1 not defined: not in': { given: { pods: { p: { needs: 'team notin a' } } }, want: { claims: [{ without: 'team' }] } },
  'O2.2 not defined: exists': {
    given: { pods: { p: { needs: 'team exists' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'O2.3 not defined: absent': { given: { pods: { p: { needs: 'team absent' } } }, want: { claims: [{ without: 'team' }] } },
  'O2.4 not defined: greater': {
    given: { pods: { p: { needs: 'gen > 1' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },

  'O3 defined: in its value': { given: { pools: DEFINED, pods: { p: { needs: 'team=a' } } }, want: { claims: [{ labels: 'team=a' }] } },
  'O3.1 defined: not in its value': {
    given: { pools: DEFINED, pods: { p: { needs: 'team notin a' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'O3.2 defined: exists': { given: { pools: DEFINED, pods: { p: { needs: 'team exists' } } }, want: { claims: [{ labels: 'team=a' }] } },
  'O3.3 defined: absent': {
    given: { pools: DEFINED, pods: { p: { needs: 'team absent' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'O3.4 defined: in another value': {
    given: { pools: DEFINED, pods: { p: { needs: 'team=b' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'O3.5 defined: not in another value': {
    given: { pools: DEFINED, pods: { p: { needs: 'team notin b' } } },
    want: { claims: [{ labels: 'team=a' }] },
  },

  'O4 two pods with a value in common share a node that has it': {
    given: { pools: OPEN, pods: { p: { needs: 'team in a b' }, q: { needs: 'team in b c' } } },
    want: { claims: [{ pods: 'p q', labels: 'team=b' }] },
  },
  'O5 two pods with no value in common get a node each': {
    given: { pools: OPEN, pods: { p: { needs: 'team=a' }, q: { needs: 'team=c' } } },
    want: {
      claims: [
        { pods: 'p', labels: 'team=a' },
        { pods: 'q', labels: 'team=c' },
      ],
    },
  },
  'O6 that a label exists does not lend it a value the pool lacks': {
    given: {
      pools: { default: { needs: 'team exists' }, other: { labels: 'team=a' } },
      pods: { p: { needs: 'team exists, team=b', select: 'pool=other' } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'O6.1 a pod that does without a label does not lend it to one that asks for it': {
    given: { pods: { p: { needs: 'team notin x' }, q: { needs: 'team=a' } } },
    want: { claims: [{ pods: 'p' }], unplaced: { q: 'SCHEDULING.REQUIREMENT' } },
  },
}
