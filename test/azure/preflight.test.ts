import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { startHarness } from './harness.ts'

let harness: Awaited<ReturnType<typeof startHarness>>
const folder = mkdtempSync(join(tmpdir(), 'joiner-preflight-'))
beforeAll(async () => {
  harness = await startHarness()
  writeFileSync(join(folder, 'ca.pem'), harness.azure.caCertificate)
})
afterAll(async () => {
  await harness.azure.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The command as a user runs it, as the managed identity of the machine. */
function run(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const { azure } = harness
  const env = {
    PATH: process.env['PATH'],
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    ARM_ENDPOINT: azure.armUrl,
    AZURE_CLIENT_ID: azure.managedIdentities[0]?.clientId,
    IDENTITY_ENDPOINT: azure.identityEndpoint,
    IDENTITY_HEADER: azure.identityHeader,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, ['cli/main.ts', 'preflight', ...args], { env, cwd: repositoryRoot }, (error, out, errors) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: `${out}${errors}` }),
    )
  })
}

function change(properties: object): void {
  const { azure } = harness
  const held = azure.held(azure.clusterResourceId)
  if (held === undefined) throw new Error('there is no cluster')
  azure.hold({ ...held, properties: { ...(held['properties'] as object), ...properties } })
}

describe('npm run preflight', () => {
  it('says that nothing is in the way, and then what is', async () => {
    const { clusterResourceId } = harness.azure
    expect(await run('--cluster', clusterResourceId)).toEqual({
      code: 0,
      out: 'ok    local: Entra, OIDC issuer, workload identity, Kubernetes 1.34.0, azure overlay with cilium\n',
    })
    change({ nodeResourceGroupProfile: { restrictionLevel: 'ReadOnly' } })
    const { code, out } = await run('--cluster', clusterResourceId)
    expect(code).toBe(1)
    expect(out).toMatch(/\nFAIL {2}PREFLIGHT\.NODE_GROUP_LOCKED {3}local: .*; run: az aks update .* Unrestricted\n$/)
  })

  it('names a cluster that is not there, and looks at the others', async () => {
    const missing = `${harness.azure.clusterResourceId}x`
    const { code, out } = await run('--cluster', missing, '--cluster', harness.azure.clusterResourceId)
    expect(code).toBe(1)
    expect(out.split('\n')[0]).toContain('AZURE.NOT_FOUND')
    expect(out.split('\n')[0]).toContain(missing)
    expect(out).toContain('PREFLIGHT.NODE_GROUP_LOCKED')
  })

  it('ends with 2 and its usage where it does not understand', async () => {
    const { code, out } = await run('--cluster', 'shop')
    expect(code).toBe(2)
    expect(out).toContain('--cluster shop is not the resource id of a managed cluster')
    expect(out).toContain('npm run preflight -- --cluster')
  })
})
