import type { Scenarios } from './scenario.ts'

const TEAM = { default: { taints: 'team=a' } } as const

/** Taints of pools, and tolerations of pods. */
export const TAINTS: Scenarios = {
  'K1 the pool’s taint is on the node': {
    given: { pools: TEAM, pods: { p: { tolerates: '*' } } },
    want: { claims: [{ taints: 'team=a:NoSchedule' }] },
  },
  'K2 tolerated whatever its value': { given: { pools: TEAM, pods: { p: { tolerates: 'team' } } }, want: { claims: 1 } },
  'K2.1 tolerated by its value': { given: { pools: TEAM, pods: { p: { tolerates: 'team=a' } } }, want: { claims: 1 } },
  'K2.2 tolerated by its value and effect': {
    given: { pools: TEAM, pods: { p: { tolerates: 'team=a:NoSchedule' } } },
    want: { claims: 1 },
  },
  'K2.3 not tolerated': {
    given: { pools: TEAM, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.TAINT' }, says: 'team=a:NoSchedule' },
  },
  'K2.4 another value is tolerated': {
    given: { pools: TEAM, pods: { p: { tolerates: 'team=b' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.TAINT' } },
  },
  'K2.5 another effect is tolerated': {
    given: { pools: TEAM, pods: { p: { tolerates: 'team=a:NoExecute' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.TAINT' } },
  },
  'K3 a startup taint keeps nobody away': {
    given: { pools: { default: { startupTaints: 'start' } }, pods: { p: {} } },
    want: { claims: [{ taints: '' }] },
  },
  'K4 a toleration makes no taint': { given: { pods: { p: { tolerates: 'team' } } }, want: { claims: [{ taints: '' }] } },
  'K5 a taint that asks to be avoided, where another pool will do': {
    given: { pools: { soft: { taints: 'soft:PreferNoSchedule', weight: 10 }, plain: {} }, pods: { p: {} } },
    want: { claims: [{ pool: 'plain' }] },
  },
  'K6 the same, where no other pool will do': {
    given: { pools: { soft: { taints: 'soft:PreferNoSchedule' }, plain: { needs: 'arch=arm64' } }, pods: { p: { select: 'arch=amd64' } } },
    want: { claims: [{ pool: 'soft' }] },
  },
  'K7 the same, beside a taint that forbids': {
    given: { pools: { default: { taints: 'soft:PreferNoSchedule never' } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.TAINT' } },
  },
  'K8 a pod that had to take the taint makes no other less choosy': {
    given: {
      pools: { soft: { taints: 'soft:PreferNoSchedule', labels: 'team=a', weight: 10 }, plain: {} },
      pods: { p: {}, q: { select: 'team=a' } },
    },
    want: {
      claims: [
        { pods: 'p', pool: 'plain' },
        { pods: 'q', pool: 'soft' },
      ],
    },
  },
}
