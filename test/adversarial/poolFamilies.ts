/** Families of many NodePools, and of constraints that many pods write in ways of their own. */
import { LABEL } from '../../shared/model/labels.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { type Family, mixesOf, worldOf } from './families.ts'
import { times, type World } from './world.ts'

const TAINTED_POOLS = 50
const TOLERATED = 3
const MOST_POOLS = 500
const FIRST_DAEMON_PORT = 9_000
const FIRST_PORT = 8_000
const PORTS = 50

export const TAINTS: Family = {
  name: 'taints',
  about: 'fifty pools with a taint each, and pods that tolerate three of them at random',
  pools: () => TAINTED_POOLS,
  pool: (index) => ({ taints: [{ key: `key-${index}`, effect: 'NoSchedule' }] }),
  pod: (random, _, pools) => ({ tolerations: times(TOLERATED, () => ({ key: `key-${random.int(pools)}`, operator: 'Exists' })) }),
}

export const NOT_IN: Family = {
  name: 'not-in',
  about: 'fifty pools with a label each, and pods that each keep off one value of it',
  pools: () => TAINTED_POOLS,
  pool: (index) => ({ labels: { tier: `tier-${index}` } }),
  pod: (_, index, pools) => ({ requiredNodeTerms: [keepingOff('tier', `tier-${index % (2 * pools)}`)] }),
}

export const POOLS: Family = {
  name: 'pools',
  about: 'a pool for every two pods up to five hundred, and pods that each keep off one of them',
  pools: (pods) => Math.min(MOST_POOLS, Math.ceil(pods / 2)),
  pool: (index) => ({ labels: { team: `team-${index}` } }),
  pod: (_, index, pools) => ({ requiredNodeTerms: [keepingOff('team', `team-${index % pools}`)] }),
}

export const HOST_PORTS: Family = {
  name: 'host-ports',
  about: 'thirty DaemonSets with host ports, and pods that each take one of fifty others',
  pools: () => 2,
  pool: (index) => ({ labels: { kind: `kind-${index}` } }),
  daemons: times(30, (index) =>
    daemonSet({
      name: `agent-${index}`,
      cpus: 0.01,
      memoryGib: 0.02,
      hostPorts: [portOf(FIRST_DAEMON_PORT + index)],
      tolerations: [{ operator: 'Exists' }],
      ...(index % 3 === 0 ? { nodeSelector: { kind: 'kind-1' } } : {}),
      ...(index % 3 === 1 ? { requiredNodeTerms: [having(LABEL.zone, 'eastus-1'), having(LABEL.capacityType, 'spot')] } : {}),
    }),
  ),
  pod: (random) => ({ hostPorts: [portOf(FIRST_PORT + random.int(PORTS))] }),
}

export const POOL_FAMILIES: readonly Family[] = [TAINTS, NOT_IN, HOST_PORTS, POOLS]

/** NOT_IN and POOLS both write the node affinity of a pod, so POOLS is alone. */
export const POOL_MIXES: readonly World[] = [...mixesOf([TAINTS, NOT_IN, HOST_PORTS]), worldOf([POOLS])]

function keepingOff(key: string, ...values: readonly string[]) {
  return { matchExpressions: [{ key, operator: 'NotIn', values }], matchFields: [] } as const
}

function having(key: string, ...values: readonly string[]) {
  return { matchExpressions: [{ key, operator: 'In', values }], matchFields: [] } as const
}

function portOf(port: number) {
  return { ip: '', port, protocol: 'TCP' }
}
