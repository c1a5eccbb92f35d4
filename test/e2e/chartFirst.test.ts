import { describe, expect, it } from 'vitest'
import { takeDown } from '../../cli/cleanup.ts'
import { openAccess } from '../../cli/clusterAccess.ts'
import { createFakeArm } from '../../cli/down/testing/fakeArm.ts'
import { LOCAL_CLUSTER } from '../../local/stack/identities.ts'
import type { Stack } from '../../local/stack/startStack.ts'
import { defined } from '../../shared/base/values.ts'
import { durationMs } from '../../shared/model/units.ts'
import { SOMEBODY } from '../azure/armCall.ts'
import { installation } from '../builders/installation.ts'
import { HELM, WITHOUT_HELM } from '../charts/helm.ts'
import { CLAIM_PATH, DEPLOYMENT_PATH, deployment, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { PATIENCE_MS, until } from './until.ts'
import { claims } from './waits.ts'

describe.skipIf(HELM === undefined)(`the chart is uninstalled${WITHOUT_HELM}`, () => {
  onCluster('a teardown with the chart first', scenarios, defined({ rightsByHelm: HELM }))
})

const BLUE = { team: 'blue' }
const POOL = `${POOL_PATH}/blue`
const DEPLOYMENT = `${DEPLOYMENT_PATH}/app-blue`

function scenarios(environment: () => Environment): void {
  // The last scenario of its environment: the app is gone at its end.
  it('keeps machines while nobody may drain them, and the cleanup leaves no object and no machine (F43)', async () => {
    const { stack } = environment()
    await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
    await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 2, { nodeSelector: BLUE }))
    await environment().settle(2)
    const { vms } = await takeInventory(stack)

    await environment().uninstallChart()
    await environment().remove(POOL)
    await until(async () => {
      const staying = (await claims(environment())).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      return staying.length === 0 ? undefined : `nodeclaims ${staying.map(({ metadata }) => metadata.name)} are not deleted`
    })
    await environment().whenSaid(/forbidden/i)
    await stack.functions.runTimer('timer')
    const left = await takeInventory(stack)
    expect({ claims: left.claims.length, vms: left.vms }).toEqual({ claims: 2, vms })
    await stack.functions.child.stop()

    const cleanup = await cleanUp(stack)
    expect(cleanup.lines.at(-1)).toBe('nothing is left')
    expect(cleanup.code).toBe(0)
    await environment().remove(DEPLOYMENT)
    await until(async () => {
      const { pods: _, ...made } = await takeInventory(stack)
      const still = Object.values(made).flat()
      return still.length === 0 ? undefined : `there is still ${JSON.stringify(still)}`
    })
    expect(stack.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
    expect(await environment().get(CLAIM_PATH)).toMatchObject({ items: [] })
  })
}

/** Runs `joiner cleanup` as a person with all rights in the cluster. The local ARM serves no roles and assignments; `createFakeArm` does. */
async function cleanUp(stack: Stack): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const { azure, kubernetes, client } = stack
  await grantEverything(client)
  const authority = Buffer.from(kubernetes.caCertificate).toString('base64')
  const kubeconfig = JSON.stringify({ clusters: [{ cluster: { server: kubernetes.url, 'certificate-authority-data': authority } }] })
  azure.putResource({ id: azure.clusterResourceId, ...azure.getResource(azure.clusterResourceId), kubeconfig })
  const tokenFor = (audience: string): Promise<string> => azure.issueToken({ audience, ...SOMEBODY })
  const credential = {
    getToken: async (scopes: string | readonly string[]) => ({
      token: await tokenFor([scopes].flat()[0]?.replace(/\/\.default$/, '') ?? ''),
      expiresOnTimestamp: Date.now() + 3_600_000,
    }),
  }
  const opened = openAccess({}, { credential, armOptions: { endpoint: azure.armUrl, ca: azure.caCertificate } })
  const fake = createFakeArm()
  const lines: string[] = []
  const code = await takeDown(
    {
      clusters: [{ resourceId: azure.clusterResourceId, name: LOCAL_CLUSTER }],
      installation: installation(azure.subscriptionId),
      wish: { machines: 'drain', limit: durationMs(PATIENCE_MS) },
      release: { name: 'joiner', namespace: 'joiner' },
      by: 'self',
      dryRun: false,
    },
    {
      access: {
        ...opened,
        arm: (request, signal) =>
          /Microsoft\.(Authorization|EventGrid|ManagedIdentity)|virtualNetworkPeerings|privateDnsZones/i.test(request.path)
            ? fake.arm(request, signal)
            : opened.arm(request, signal),
      },
      run: () => Promise.resolve({ code: 1, out: '', errors: 'no release is left' }),
      environment: { PRICES_ENDPOINT: azure.pricesUrl },
      print: (line) => void lines.push(line),
    },
    AbortSignal.timeout(PATIENCE_MS),
  )
  return { code, lines }
}

async function grantEverything(client: Stack['client']): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io'
  const head = { apiVersion: `${apiGroup}/v1`, metadata: { name: 'test:owner' } }
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
  const roleRef = { apiGroup, kind: 'ClusterRole', name: 'test:owner' }
  const subjects = [{ apiGroup, kind: 'User', name: SOMEBODY.oid }]
  for (const [plural, body] of [
    ['clusterroles', { ...head, kind: 'ClusterRole', rules }],
    ['clusterrolebindings', { ...head, kind: 'ClusterRoleBinding', roleRef, subjects }],
  ] as const) {
    const made = await client.send({
      method: 'POST',
      path: `/apis/${apiGroup}/v1/${plural}`,
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    if (!made.ok) throw new Error(`${plural}: ${made.error.message}`)
  }
}
