import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { epochMs } from '../../shared/model/units.ts'
import { SIGNAL, SILENT, startHarness } from './harness.ts'

let harness: Awaited<ReturnType<typeof startHarness>>
beforeEach(async () => {
  harness = await startHarness()
})
afterEach(() => harness.azure.close())

describe('NS-08: the disk encryption set of the cluster', () => {
  const sets = () => `/subscriptions/${harness.azure.subscriptionId}/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets`
  /** The provider of a cluster with this set, at times that the test moves. */
  const start = (diskEncryptionSetId?: string) => {
    let now = 1_800_000_000_000
    const clock = { now: () => epochMs(now), sleep: () => Promise.resolve() }
    const { credential, arm, catalog, config } = harness
    const warnings: string[] = []
    const telemetry = { ...SILENT, warn: (message: string) => void warnings.push(message) }
    const over = diskEncryptionSetId === undefined ? {} : { diskEncryptionSetId }
    const cloud = createCloudProvider({
      config: { ...config, ...over },
      credential,
      arm: { ...arm, maxRetries: 0 },
      sizes: catalog,
      clock,
      telemetry,
    })
    return { look: () => cloud.encryptionProblem(SIGNAL), pass: (ms: number) => void (now += ms), warnings }
  }
  const asked = () => harness.azure.requests.count({ method: 'GET', type: 'diskEncryptionSets' })
  const MINUTE = 60_000

  it('is not looked for where there is none', async () => {
    expect(await start().look()).toBeUndefined()
    expect(asked()).toBe(0)
  })

  it('is read once an hour where it can be read', async () => {
    harness.azure.putResource({ id: `${sets()}/shop`, location: 'eastus', properties: {} })
    const { look, pass } = start(`${sets()}/shop`)
    for (const wait of [0, MINUTE, 58 * MINUTE, MINUTE]) {
      pass(wait)
      expect(await look()).toBeUndefined()
    }
    expect(asked()).toBe(2)
  })

  it.each([
    [401, 'InvalidAuthenticationTokenTenant', 'AZURE.FORBIDDEN', 'lacks Microsoft.Compute/diskEncryptionSets/read'],
    [403, 'AuthorizationFailed', 'AZURE.FORBIDDEN', 'lacks Microsoft.Compute/diskEncryptionSets/read'],
    [404, 'ResourceNotFound', 'AZURE.NOT_FOUND', 'does not exist in Azure'],
  ])(
    'is named where Azure answers %i, is looked for each minute, and serves again once it can be read',
    async (status, code, want, says) => {
      harness.azure.putResource({ id: `${sets()}/shop`, location: 'eastus', properties: {} })
      harness.azure.script.http({ method: 'GET', path: 'diskEncryptionSets', times: 1, status, code })
      const { look, pass } = start(`${sets()}/shop`)
      const refused = { code: want, message: expect.stringContaining(says), object: `${sets()}/shop` }
      expect(await look()).toMatchObject(refused)
      pass(MINUTE - 1)
      expect(await look()).toMatchObject(refused)
      expect(asked()).toBe(1)
      pass(1)
      expect(await look()).toBeUndefined()
    },
  )

  it('is not held against anybody where Azure cannot say, which is told', async () => {
    harness.azure.script.http({ method: 'GET', path: 'diskEncryptionSets', times: 1, status: 500, code: 'InternalServerError' })
    const { look, warnings } = start(`${sets()}/shop`)
    expect(await look()).toBeUndefined()
    expect(warnings).toEqual(['a disk encryption set could not be looked at'])
  })
})
