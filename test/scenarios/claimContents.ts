import { GPU } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

/** More labels than the API server lets a NodeClaim ask for, with those that each claim has. */
const MANY_LABELS = Array.from({ length: 98 }, (_, index) => `label-${index}=a`).join(', ')
const ONE = { asks: { cpu: 1, memory: '1Mi' } } as const

/** The contents of a claim. */
export const CLAIM_CONTENTS: Scenarios = {
  'U1 the annotations of the template': {
    given: { pools: { default: { annotations: { note: 'x' } } }, pods: { p: {} } },
    want: { claims: [{ annotations: { note: 'x', 'karpenter.sh/nodepool-hash-version': 'v3' } }] },
  },
  'U2 one allowed value for each label that the pool leaves open': {
    given: {
      pools: { default: { labels: 'a=1', needs: 'b in y x, c notin z, d > 4, e < 10, f exists, g absent' } },
      pods: { p: {} },
    },
    want: { claims: [{ labels: 'a=1 b=x d=5', has: 'c e f', without: 'g' }] },
  },
  'U3 labels under the domains of Kubernetes': {
    given: { pools: { default: { needs: 'kubernetes.io/own=a, sub.k8s.io/own=b' } }, pods: { p: {} } },
    want: { claims: [{ labels: 'kubernetes.io/own=a sub.k8s.io/own=b' }] },
  },
  'U4 labels that sizes decide are not set before the size is': {
    given: { pools: { default: { needs: 'cpus notin 2, arch=amd64' } }, pods: { p: {} } },
    want: { claims: [{ unlabelled: 'cpus arch' }] },
  },
  'U6 every size that would serve, and the pool': {
    given: { pods: { p: {} } },
    want: { claims: [{ types: 'arm default gpu-a gpu-b single small', needs: 'pool=default' }] },
  },
  'U7 requirements of the user’s own': {
    given: { pools: { default: { needs: 'team in a b, gen > 2, other notin x' } }, pods: { p: {} } },
    want: { claims: [{ needs: 'team in a b, gen >= 3, other notin x' }] },
  },
  'U7.1 bounds and exclusions of one key': {
    given: { pools: { default: { needs: 'gen > 2, gen < 9, gen notin 5' } }, pods: { p: {} } },
    want: { claims: [{ needs: 'gen >= 3, gen <= 8, gen notin 5', labels: 'gen=3' }] },
  },
  'U8 only sizes of the architecture': {
    given: { pools: { default: { needs: 'arch=arm64' } }, pods: { p: {} } },
    want: { claims: [{ types: 'arm', needs: 'arch=arm64' }] },
  },
  'U9 only sizes of the system': {
    given: { pools: { default: { needs: 'os=ios' } }, pods: { p: {} } },
    want: { claims: [{ types: 'arm', needs: 'os=ios' }] },
  },
  'U10 only sizes with the accelerator': { given: { pods: { p: { asks: { [GPU.a]: 1 } } } }, want: { claims: [{ types: 'gpu-a' }] } },
  'U12 the class': { given: { pods: { p: {} } }, want: { claims: [{ labels: 'karpenter.azure.com/aksnodeclass=default' }] } },
  'U13 what its pod asks for': {
    given: { pods: { p: { asks: { cpu: 1, memory: '1Mi', [GPU.a]: 1 } } } },
    want: { claims: [{ requests: { cpu: 1, memory: '1Mi', [GPU.a]: 1, pods: 1 } }] },
  },
  'U14 and a daemon': {
    given: { daemons: { agent: ONE }, pods: { p: ONE } },
    want: { claims: [{ requests: { cpu: 2, memory: '2Mi', pods: 2 } }] },
  },
  'U15 and a daemon once for two pods': {
    given: { daemons: { agent: ONE }, pods: { p: { count: 2, ...ONE } } },
    want: { claims: [{ requests: { cpu: 3, memory: '3Mi', pods: 3 } }] },
  },
  'U16 a claim with more requirements than the API server accepts is not made': {
    given: { pools: { default: { needs: MANY_LABELS } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.CLAIM_INVALID' }, says: 'at most 100 are allowed' },
  },
  'U16.1 the next pool is tried': {
    given: { pools: { default: { weight: 9, needs: MANY_LABELS }, light: {} }, pods: { p: {} } },
    want: { claims: [{ pool: 'light', pods: 'p' }] },
  },
  'U16.2 each pool is named with its reason': {
    given: { pools: { default: { needs: MANY_LABELS }, other: { needs: 'arch=riscv' } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.CLAIM_INVALID' }, says: 'at most 100 are allowed; nodepool other: none of the' },
  },
}
