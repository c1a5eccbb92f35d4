import type { Scenarios } from './scenario.ts'

const SOFT_POOL = { default: { taints: 'soft:PreferNoSchedule' } } as const
const IGNORE = { preferencePolicy: 'Ignore' } as const
const TWO = { a: {}, b: {} } as const

/** Alternative requirements, preferences that are dropped in order, and preferences that are ignored. */
export const PREFERENCES: Scenarios = {
  'F1 the only need cannot be met': {
    given: { pods: { p: { needs: 'zone=nowhere' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'F2 the third of four alternatives is the first that can be met': {
    given: { pods: { p: { needs: ['zone=nowhere', 'arch=riscv', 'zone=z1', 'zone=z2'] } } },
    want: { claims: 1 },
    firstFit: { claims: [{ zone: 'z1' }] },
  },
  'F2.1 an alternative without expressions matches nothing': {
    given: { pods: { p: { needs: '' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'F3 no wish can be met': {
    given: { pods: { p: { prefers: { 'zone=nowhere': 1, 'arch=riscv': 2 } } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'F4 the heaviest wish that can be met': {
    given: { pods: { p: { prefers: { 'zone=nowhere': 100, 'zone=z2': 50, 'zone=z1': 1 } } } },
    want: { claims: [{ zone: 'z2' }] },
  },
  'F5 a need wins over a wish': { given: { pods: { p: { needs: 'zone=z3', prefers: 'zone=z1' } } }, want: { claims: [{ zone: 'z3' }] } },
  'F6 a wish that contradicts itself': { given: { pods: { p: { prefers: 'zone=z1, zone=z2' } } }, want: { claims: 1 } },
  'F6.1 every alternative is tried before a wish is given up': {
    given: { pods: { p: { needs: ['zone=z1', 'zone=z2'], prefers: 'zone=z2' } } },
    want: { claims: [{ zone: 'z2' }] },
  },
  'F7 wishes give way before a taint that asks to be avoided does': {
    given: { pools: SOFT_POOL, pods: { p: { prefers: { 'zone=nowhere': 1, 'arch=riscv': 1 } } } },
    want: { claims: [{ taints: 'soft:PreferNoSchedule' }] },
  },
  'F8 a wish for a zone that is nowhere parts no pods': {
    given: { pods: { p: {}, q: { prefers: 'zone=nowhere' } } },
    want: { claims: [{ pods: 'p q' }] },
  },
  'F8.1 a wish for a host that is nowhere parts no pods': {
    given: { pods: { p: {}, q: { prefers: 'hostname=h' } } },
    want: { claims: [{ pods: 'p q' }] },
  },
  'F9 ignored: a wish for a zone leaves all zones open': {
    given: { settings: IGNORE, pods: { p: { prefers: 'zone=z2' } } },
    want: { claims: [{ zone: 'z1 z2 z3' }] },
  },
  'F9.1 ignored: a spread over zones that is only wished for': {
    given: { settings: IGNORE, pods: { p: { count: 4, spread: [{ over: 'zone', soft: true }] } } },
    want: { claims: 1 },
  },
  'F9.2 ignored: a spread over hosts that is only wished for': {
    given: { settings: IGNORE, pods: { p: { count: 4, spread: [{ over: 'hostname', soft: true }] } } },
    want: { claims: 1 },
  },
  'F9.3 ignored: a wish to be in another zone than its like': {
    given: { settings: IGNORE, pods: { p: { count: 3, preferApart: 'app=p over zone' } } },
    want: { claims: 1 },
  },
  'F9.4 ignored: a wish to be on another host than its like': {
    given: { settings: IGNORE, pods: { p: { count: 3, preferApart: 'app=p over hostname' } } },
    want: { claims: 1 },
  },
  'F9.5 ignored: a wish to be where another pod is': {
    given: { settings: IGNORE, nodes: TWO, pods: { db: { on: 'b' }, p: { preferNear: 'app=db over hostname' } } },
    want: { claims: 0 },
    firstFit: { claims: 0, on: { a: 'p' } },
  },
  'F10 respected: a wish to be where another pod is': {
    given: { nodes: TWO, pods: { db: { on: 'b' }, p: { preferNear: 'app=db over hostname' } } },
    want: { claims: 0, on: { b: 'p' } },
  },
  'F10.1 respected: a wish not to be where another pod is': {
    given: { nodes: TWO, pods: { db: { on: 'a' }, p: { preferApart: 'app=db over hostname' } } },
    want: { claims: 0, on: { b: 'p' } },
  },
  'F10.2 respected: spreads that are only wished for are kept while they can be': {
    given: { pods: { p: { count: 3, spread: [{ over: 'zone', soft: true }] } } },
    want: { skew: { 'zone p': [1, 1, 1] } },
  },
}
