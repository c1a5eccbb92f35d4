import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeArm } from '../../cli/down/testing/fakeArm.ts'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { type HookDeps, runHook } from './hookDeps.ts'
import { runPredown } from './runPredown.ts'
import { type HookWorld, hookWorld } from './testing/localAzure.ts'

let world: HookWorld
let server: Awaited<ReturnType<typeof startKubernetes>>
const rights = createFakeArm()
beforeAll(async () => {
  world = await hookWorld()
  server = await startKubernetes()
  const { azure } = world
  const authority = Buffer.from(server.caCertificate).toString('base64')
  const kubeconfig = JSON.stringify({ clusters: [{ cluster: { server: server.url, 'certificate-authority-data': authority } }] })
  azure.putResource({ id: azure.clusterResourceId, ...azure.getResource(azure.clusterResourceId), kubeconfig })
})
afterAll(async () => {
  await world.close()
  await server.close()
})

/** Runs the hook as azd does. Returns its exit code and what it printed. */
async function predown(values: { readonly [name: string]: string }, isTerminal = false) {
  const deps = world.deps()
  const printed: string[] = []
  const { access } = deps
  const given: HookDeps = {
    ...deps,
    environment: { ...deps.environment, ...values },
    print: (line) => void printed.push(line),
    access: {
      ...access,
      token: () => Promise.resolve(server.adminToken),
      arm: (call, signal) =>
        (/Microsoft\.(Authorization|EventGrid|ManagedIdentity)|Peerings|privateDnsZones/i.test(call.path) ? rights : access).arm(
          call,
          signal,
        ),
    },
  }
  const code = await runHook((each) => runPredown(each, isTerminal), given)
  return { code, printed }
}

const facts = () => JSON.stringify([{ name: 'local', id: world.azure.clusterResourceId, subnetIds: [], identityIds: [], overrides: {} }])

describe('the hook before azd down', () => {
  it('does nothing where nobody says what becomes of the machines', async () => {
    expect(await predown({ JOINER_CLUSTER_FACTS: facts() })).toEqual({
      code: 1,
      printed: [
        expect.stringContaining(
          'azd env set JOINER_DOWN drain (machines are drained and deleted) or azd env set JOINER_DOWN keep (machines stay)',
        ),
      ],
    })
  })

  it('removes the rights of the installation that the environment names', async () => {
    const role = `/subscriptions/${world.azure.subscriptionId}/providers/Microsoft.Authorization/roleDefinitions/r1`
    const assignment = `/subscriptions/${world.azure.subscriptionId}/resourceGroups/nodes/providers/Microsoft.Authorization/roleAssignments/a1`
    rights.put(role, { properties: { type: 'CustomRole', roleName: 'Joiner cluster abcdefghijklm' } })
    rights.put(assignment, { properties: { principalId: 'app-oid', roleDefinitionId: 'reader' } })
    const values = {
      JOINER_DOWN: 'drain',
      JOINER_TOKEN: 'abcdefghijklm',
      JOINER_APP_PRINCIPAL_ID: 'app-oid',
      JOINER_CLUSTER_FACTS: facts(),
    }
    expect(await predown(values)).toEqual({
      code: 0,
      printed: [
        'local: no machines',
        expect.stringContaining('role assignment on '),
        'role definition Joiner cluster abcdefghijklm is removed',
        'nothing is left',
      ],
    })
    expect(rights.ids()).toEqual([])
    // A second run finds nothing to do.
    expect(await predown(values)).toEqual({ code: 0, printed: ['local: no machines', 'nothing is left'] })
  })

  it('goes by where the preflight never came to its end', async () => {
    const { code, printed } = await predown({ JOINER_DOWN: 'drain' })
    expect([code, printed]).toEqual([0, ['no cluster is known: nothing is installed, so there are no machines', 'nothing is left']])
  })

  it.each([
    [{ JOINER_CLUSTER_FACTS: '{' }, 'JOINER_CLUSTER_FACTS is not what the preflight writes'],
    [{ AZURE_SUBSCRIPTION_ID: '' }, 'AZURE_SUBSCRIPTION_ID is not set'],
    [{ JOINER_DOWN_TIMEOUT: 'long' }, 'JOINER_DOWN_TIMEOUT is long'],
  ])('refuses %j', async (values, why) => {
    const { code, printed } = await predown({ JOINER_DOWN: 'drain', ...values })
    expect([code, printed]).toEqual([1, [expect.stringContaining(why)]])
  })

  it('has its variables on the page', () => {
    const rows = readFileSync(join(repositoryRoot, 'docs/uninstall.md'), 'utf8').matchAll(/^\| `(JOINER_\w+)` \|/gm)
    const code = readFileSync(join(repositoryRoot, 'cli/down/downOptions.ts'), 'utf8').matchAll(/environment\['(\w+)'\]/g)
    const read = [...code].map(([, name]) => name).filter((name) => name?.startsWith('JOINER_'))
    expect([...rows].map(([, name]) => name).sort()).toEqual(read.sort())
  })
})
