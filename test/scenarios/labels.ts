import type { Scenarios } from './scenario.ts'

const TEAM = { default: { labels: 'team=a' } } as const

/** Labels: those of the pool, those that sizes and offerings decide, and labels that no pod may select. */
export const LABELS: Scenarios = {
  'L1 a label of the pool is on the node': { given: { pools: TEAM, pods: { p: {} } }, want: { claims: [{ labels: 'team=a' }] } },
  'L2 another value than the pool has': {
    given: { pools: TEAM, pods: { p: { select: 'team=b' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'L3 a label the pool does not have': {
    given: { pods: { p: { select: 'team=a' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'L4 one of the values is the pool’s': {
    given: { pools: TEAM, pods: { p: { needs: 'team in a b' } } },
    want: { claims: [{ labels: 'team=a' }] },
  },
  'L5 none of the values is the pool’s': {
    given: { pools: TEAM, pods: { p: { needs: 'team=b' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'L6 pods that select labels whose keys plain objects inherit, beside an ordinary pod': {
    given: {
      pods: {
        a: { select: 'constructor=x' },
        b: { needs: 'toString exists' },
        c: { select: 'valueOf=x hasOwnProperty=y' },
        d: { select: '__proto__=x' },
        p: {},
      },
    },
    want: {
      claims: [{ pods: 'p' }],
      unplaced: {
        a: 'SCHEDULING.REQUIREMENT',
        b: 'SCHEDULING.REQUIREMENT',
        c: 'SCHEDULING.REQUIREMENT',
        d: 'POD.INVALID',
      },
    },
  },
  'L7 labels of the pool with such keys': {
    given: {
      pools: { default: { labels: 'constructor=x toString=y', needs: 'valueOf in a b' } },
      pods: { p: { select: 'constructor=x valueOf=b', needs: 'toString=y' } },
    },
    want: { claims: [{ labels: 'constructor=x toString=y valueOf=b' }] },
  },

  'W1 a pool of one zone': { given: { pools: { default: { needs: 'zone=z2' } }, pods: { p: {} } }, want: { claims: [{ zone: 'z2' }] } },
  'W2 a pod selects one of the pool’s zones': {
    given: { pools: { default: { needs: 'zone in z1 z2' } }, pods: { p: { select: 'zone=z2' } } },
    want: { claims: [{ zone: 'z2' }] },
  },
  'W2.1 a pod selects a zone by its old name': {
    given: { pods: { p: { select: 'failure-domain.beta.kubernetes.io/zone=z3' } } },
    want: { claims: [{ zone: 'z3', capacity: 'on-demand' }] },
  },
  'W3 a pod selects a host': { given: { pods: { p: { select: 'hostname=h' } } }, want: { claims: 0, unplaced: { p: 'POD.INVALID' } } },
  'W4 a zone that is nowhere': {
    given: { pods: { p: { select: 'zone=nowhere' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'W5 a zone outside the pool’s': {
    given: { pools: { default: { needs: 'zone in z1 z2' } }, pods: { p: { select: 'zone=z3' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'W6 a pod needs a zone': { given: { pods: { p: { needs: 'zone=z3' } } }, want: { claims: [{ zone: 'z3' }] } },
  'W6.1 a pool and a pod need a zone each': {
    given: { pools: { default: { needs: 'zone=z3' } }, pods: { p: { needs: 'zone in z2 z3' } } },
    want: { claims: [{ zone: 'z3' }] },
  },
  'W7 more CPUs than eight, for the pod': { given: { pods: { p: { needs: 'cpus > 8' } } }, want: { claims: [{ types: 'arm' }] } },
  'W7.1 more CPUs than eight, for the pool': {
    given: { pools: { default: { needs: 'cpus > 8' } }, pods: { p: {} } },
    want: { claims: [{ types: 'arm' }] },
  },
  'W8 fewer CPUs than eight, for the pod': {
    given: { pods: { p: { needs: 'cpus < 8' } } },
    want: { claims: [{ type: 'small', types: 'default gpu-a gpu-b single small' }] },
  },
  'W8.1 fewer CPUs than eight, for the pool': {
    given: { pools: { default: { needs: 'cpus < 8' } }, pods: { p: {} } },
    want: { claims: [{ type: 'small', types: 'default gpu-a gpu-b single small' }] },
  },
  'W9 sixteen CPUs at least, for the pool': {
    given: { pools: { default: { needs: 'cpus >= 16' } }, pods: { p: {} } },
    want: { claims: [{ types: 'arm' }] },
  },
  'W10 two CPUs at most, for the pool': {
    given: { pools: { default: { needs: 'cpus <= 2' } }, pods: { p: {} } },
    want: { claims: [{ types: 'small' }] },
  },
  'W11 a pod needs a zone that is nowhere': {
    given: { pods: { p: { needs: 'zone=nowhere' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'W12 a pod needs none of two zones': {
    given: { pods: { p: { needs: 'zone notin z1 z2 nowhere' } } },
    want: { claims: [{ zone: 'z3' }] },
  },
  'W12.1 a pool allows none of two zones': {
    given: { pools: { default: { needs: 'zone notin z1 z2 nowhere' } }, pods: { p: {} } },
    want: { claims: [{ zone: 'z3' }] },
  },
  'W13 a pod needs none of all zones': {
    given: { pods: { p: { needs: 'zone notin z1 z2 z3 nowhere' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'W14 of the zones it needs, the preferred one': {
    given: { pods: { p: { needs: 'zone in z1 z2 z3 nowhere', prefers: 'zone=z2' } } },
    want: { claims: [{ zone: 'z2' }] },
  },
  'W15 a preference for a zone that is nowhere': { given: { pods: { p: { prefers: 'zone=nowhere' } } }, want: { claims: 1 } },
  'W16 a preference against two zones': {
    given: { pods: { p: { needs: 'zone in z1 z2 z3', prefers: 'zone notin z1 z3' } } },
    want: { claims: [{ zone: 'z2' }] },
  },
  'W17 a preference against all zones': {
    given: { pods: { p: { needs: 'zone in z1 z2 z3', prefers: 'zone notin z1 z2 z3' } } },
    want: { claims: 1 },
  },
  'W18 selector, need and preference agree on a zone': {
    given: { pods: { p: { select: 'zone=z3', needs: 'zone in z1 z2 z3', prefers: 'zone in z1 z2 z3' } } },
    want: { claims: [{ zone: 'z3' }] },
  },
  'W19 zone by selector, architecture by need': {
    given: { pods: { p: { select: 'zone=z3', needs: 'arch=arm64' } } },
    want: { claims: [{ zone: 'z3', types: 'arm' }] },
  },
  'W19.1 size by selector, zone by need': {
    given: { pods: { p: { select: 'type=arm', needs: 'zone=z3' } } },
    want: { claims: [{ zone: 'z3', types: 'arm' }] },
  },
  'W19.2 zone by need, size by preference': {
    given: { pods: { p: { needs: 'zone in z1 z3', prefers: 'zone=z3, type=arm' } } },
    want: { claims: [{ zone: 'z3', types: 'arm' }] },
  },
  'W19.3 all three, each over both': {
    given: {
      pods: { p: { select: 'zone=z3 arch=arm64', needs: 'zone in z1 z3, type in arm small', prefers: 'zone in z2 z3, arch=arm64' } },
    },
    want: { claims: [{ zone: 'z3', types: 'arm' }] },
  },
  'W20 spot where there is none': {
    given: { pods: { p: { select: 'zone=z3 capacity=spot' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.OFFERING' } },
  },

  'R1 a selector on the host, beside a pod without': {
    given: { pods: { bad: { select: 'hostname=h' }, good: {} } },
    want: { claims: [{ pods: 'good' }], unplaced: { bad: 'POD.INVALID' } },
  },
  'R2 a selector on a label of the product': {
    given: { pods: { p: { select: 'karpenter.sh/registered=true' }, q: { select: 'karpenter.sh/anything=x' } } },
    want: { claims: 0, unplaced: { p: 'POD.INVALID', q: 'POD.INVALID' } },
  },
  'R3 labels of the user’s own under the domains of Kubernetes': {
    given: {
      pools: { default: { needs: 'kubernetes.io/own=a, k8s.io/own=b' } },
      pods: { p: { select: 'kubernetes.io/own=a k8s.io/own=b' } },
    },
    want: { claims: [{ labels: 'kubernetes.io/own=a k8s.io/own=b' }] },
  },
  'R4 labels under subdomains of these': {
    given: {
      pools: { default: { needs: 'sub.kubernetes.io/own=a, sub.k8s.io/own=b, node-restriction.kubernetes.io/own=c' } },
      pods: { p: { select: 'sub.kubernetes.io/own=a sub.k8s.io/own=b node-restriction.kubernetes.io/own=c' } },
    },
    want: { claims: [{ labels: 'sub.kubernetes.io/own=a sub.k8s.io/own=b' }] },
  },
  'R5 a selector on each label that is well known': {
    given: {
      pods: {
        a: { select: 'pool=default' },
        b: { select: 'zone=z2' },
        c: { select: 'region=eastus' },
        d: { select: 'type=default' },
        e: { select: 'arch=arm64' },
        f: { select: 'os=windows' },
        g: { select: 'capacity=spot' },
        h: { select: 'karpenter.azure.com/aksnodeclass=default' },
        i: { select: 'cpus=16' },
      },
    },
    want: {},
  },
}
