import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { CACHE, isAtHand } from '../../local/controlplane/binaries.ts'
import { helmAtHand } from '../../local/helm/findHelm.ts'
import { leaveAuditRows } from './auditRows.ts'
import { leaveAzureRows } from './azureRows.ts'
import { type Environment, type EnvironmentOptions, startEnvironment } from './environment.ts'
import { TEST_TIMEOUT_MS } from './until.ts'

/** The Kubernetes a scenario runs on: the embedded one, or etcd, API server, scheduler and controllers as they are published. */
export const CLUSTERS = ['embedded', 'real'] as const
export type ClusterKind = (typeof CLUSTERS)[number]

/** Building takes minutes and is not for a test to do. */
const PLACES = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
export const IS_BUILT = isAtHand(PLACES) && helmAtHand(PLACES) !== undefined
export const WHY_NOT = 'skipped: no programs of a control plane, or no Helm; npm run controlplane -- --build-only, npm run helm'

/** The same scenarios on every kind of cluster, each kind with an environment of its own that they share one after the other. */
export function onEachCluster(title: string, scenarios: (environment: () => Environment) => void, options: EnvironmentOptions = {}): void {
  for (const kind of CLUSTERS) onCluster(kind, title, scenarios, options)
}

/** For what only one kind of cluster can show. */
export function onCluster(
  kind: ClusterKind,
  title: string,
  scenarios: (environment: () => Environment) => void,
  options: EnvironmentOptions = {},
): void {
  const runs = kind === 'embedded' || IS_BUILT
  describe.skipIf(!runs)(`${title}, on ${kind} Kubernetes${runs ? '' : ` (${WHY_NOT})`}`, { timeout: TEST_TIMEOUT_MS }, () => {
    let environment: Environment | undefined
    const running = (): Environment => {
      if (environment === undefined) throw new Error('the environment has not started')
      return environment
    }
    beforeAll(async () => {
      const testFile = expect.getState().testPath ?? ''
      environment = await startEnvironment({
        ...options,
        isReal: kind === 'real',
        onAudit: (plane) => leaveAuditRows(testFile, plane),
        onAzureAudit: (rows) => leaveAzureRows(testFile, rows, options.deniedInAzure),
      })
    }, TEST_TIMEOUT_MS)
    afterAll(() => environment?.close(), TEST_TIMEOUT_MS)
    beforeEach(() => running().begin(), TEST_TIMEOUT_MS)
    scenarios(running)
  })
}
