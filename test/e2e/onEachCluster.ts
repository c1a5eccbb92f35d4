import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { CACHE, isAtHand } from '../../local/controlplane/binaries.ts'
import { helmAtHand } from '../../local/helm/findHelm.ts'
import { leaveAuditRows } from './auditRows.ts'
import { leaveAzureRows } from './azureRows.ts'
import { TEST_TIMEOUT_MS } from './until.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

/** The Kubernetes a scenario runs on: the embedded one, or etcd, API server, scheduler and controllers as they are published. */
export const CLUSTERS = ['embedded', 'real'] as const
export type ClusterKind = (typeof CLUSTERS)[number]

/** Building takes minutes and is not for a test to do. */
const PLACES = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
const IS_BUILT = isAtHand(PLACES) && helmAtHand(PLACES) !== undefined
const WHY_NOT = 'skipped: no programs of a control plane, or no Helm; npm run controlplane -- --build-only, npm run helm'

/** The same scenarios on every kind of cluster, each kind with a world of its own that they share one after the other. */
export function onEachCluster(title: string, scenarios: (world: () => World) => void, options: WorldOptions = {}): void {
  for (const kind of CLUSTERS) onCluster(kind, title, scenarios, options)
}

/** For what only one kind of cluster can show. */
export function onCluster(kind: ClusterKind, title: string, scenarios: (world: () => World) => void, options: WorldOptions = {}): void {
  const runs = kind === 'embedded' || IS_BUILT
  describe.skipIf(!runs)(`${title}, on ${kind} Kubernetes${runs ? '' : ` (${WHY_NOT})`}`, { timeout: TEST_TIMEOUT_MS }, () => {
    let world: World | undefined
    const running = (): World => {
      if (world === undefined) throw new Error('the world has not started')
      return world
    }
    beforeAll(async () => {
      const testFile = expect.getState().testPath ?? ''
      world = await startWorld({
        ...options,
        isReal: kind === 'real',
        onAudit: (plane) => leaveAuditRows(testFile, plane),
        onAzureAudit: (rows) => leaveAzureRows(testFile, rows, options.deniedInAzure),
      })
    }, TEST_TIMEOUT_MS)
    afterAll(() => world?.close(), TEST_TIMEOUT_MS)
    beforeEach(() => running().begin(), TEST_TIMEOUT_MS)
    scenarios(running)
  })
}
