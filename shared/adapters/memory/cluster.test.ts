import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { describeCloudProvider, EARLIER_NAMES } from '../../../test/conformance/cloudProvider.ts'
import { describeClusterApi } from '../../../test/conformance/clusterApi.ts'
import { clusterId, DEFAULT_MACHINE_NAMES, instanceNameOf, objectKey, uid } from '../../model/ids.ts'
import { createMemoryCloudProvider } from './cloudProvider.ts'
import { createConnection } from './connection.ts'
import { createMemoryWorld } from './memoryWorld.ts'
import { createVirtualClock } from './virtualClock.ts'

const MINUTE = 60_000

describeClusterApi('memory', () => {
  const { ports, objects } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('c1') })
  objects.put('nodePool', nodePool())
  objects.put('nodeClass', nodeClass())
  return {
    api: ports.api,
    makeNode: async (name, labels = {}) => void objects.put('node', node({ name, meta: { labels } })),
    makeAttachment: async ({ name, node: on, volume: volumeName }) =>
      void objects.put('volumeAttachment', { name, uid: uid(name), node: on, volumeName }),
    makePod: async ({ name, node, labels = {}, isNominated, refusal }) => {
      const waiting = { nominatedNodeName: node, ...(refusal === undefined ? {} : { unschedulableSince: NOW }) }
      const made = objects.put('pod', pod({ name, labels, ...(isNominated === true ? waiting : { nodeName: node }) }))
      if (refusal !== undefined) objects.schedulerMessages.set(made.uid, refusal)
    },
    hasPod: async (key) => objects.get('pod', key) !== undefined,
    makeBudget: async ({ name, labels, disruptionsAllowed }) => {
      const selector = { matchLabels: labels, matchExpressions: [] }
      const key = objectKey('default', name)
      objects.put('podDisruptionBudget', {
        key,
        uid: uid(key),
        selector,
        disruptionsAllowed,
        unhealthyPodEvictionPolicy: 'IfHealthyBudget',
        conditions: [],
      })
    },
    tokenOf: async (claim) => {
      const found = [...objects.tokens.values()].find((token) => token.claim === claim)
      return found && { token: found.token, expiresAt: found.expiresAt }
    },
    events: async () => objects.events.map(({ event, count }) => `${event.reason} ${event.message} x${count}`),
  }
})

describeCloudProvider('memory', () => {
  const { ports, machines, clock, journal } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('c1') })
  return {
    cloud: ports.cloud,
    earlier: createMemoryCloudProvider(machines, EARLIER_NAMES, clock, createConnection({ number: 0, killedAt: undefined }, journal)),
    zone: 'eastus-1',
    settle: () => clock.advance(MINUTE),
    refuse: () => machines.refuse({}),
    makeOrphanInterface: async (claim) => {
      const name = instanceNameOf(claim, DEFAULT_MACHINE_NAMES)
      machines.interfaces.set(name, { name, claim, createdAt: clock.now() })
    },
  }
})
