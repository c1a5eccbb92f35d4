import { NOW } from '../../../test/builders/clock.ts'
import { describeBacklog } from '../../../test/conformance/backlog.ts'
import { describeBlobStore } from '../../../test/conformance/blobStore.ts'
import { describeClusterLog, ROTATE_AFTER } from '../../../test/conformance/clusterLog.ts'
import { describeDecisionStore } from '../../../test/conformance/decisionStore.ts'
import { describeLease } from '../../../test/conformance/lease.ts'
import { describeLedgerStore } from '../../../test/conformance/ledgerStore.ts'
import { describeOfferingStore } from '../../../test/conformance/offeringStore.ts'
import { describeWakeQueue } from '../../../test/conformance/wakeQueue.ts'
import { clusterId } from '../../model/ids.ts'
import { createMemoryWorld, type MemoryWorld } from './memoryWorld.ts'
import { createVirtualClock } from './virtualClock.ts'

const LEASE_MS = 15_000

function world(): MemoryWorld {
  return createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('c1'), rotateRecords: ROTATE_AFTER, leaseMs: LEASE_MS })
}

describeBlobStore('memory', () => world().ports)
describeDecisionStore('memory', () => world().ports)

describeClusterLog('memory', () => {
  const { ports, start } = world()
  return { log: ports.log, other: start().ports.log }
})

describeLedgerStore('memory', () => {
  const { ports, start } = world()
  return { ledger: ports.ledger, other: start().ports.ledger }
})

describeOfferingStore('memory', () => {
  const { ports, start } = world()
  return { offerings: ports.offerings, other: start().ports.offerings }
})

describeLease('memory', () => {
  const { start, clock, breakLease } = world()
  const one = start()
  return {
    one: one.ports.lease,
    two: start().ports.lease,
    breakLease: async () => breakLease(),
    passLeaseTime: () => clock.advance(LEASE_MS),
    killOne: async () => one.kill(),
  }
})

describeBacklog('memory', () => {
  const { ports, clock } = world()
  return { ...ports, now: () => clock.now() }
})

describeWakeQueue('memory', () => {
  const { ports, wakes } = world()
  return { wakes: ports.wakes, received: async () => wakes.splice(0).map(({ cluster }) => ({ cluster })) }
})
