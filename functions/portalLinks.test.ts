import { describe, expect, it } from 'vitest'
import { clusterId, nodeClaimName } from '../shared/model/ids.ts'
import { machineLink } from '../shared/model/portalLinks.ts'
import { epochMs } from '../shared/model/units.ts'
import { SOME_LINKS } from '../test/builders/links.ts'
import { linkedStatus } from './linkedStatus.ts'
import { portalLinks } from './portalLinks.ts'

const SETTINGS = { PORTAL_ENDPOINT: 'https://portal.azure.us/', ENTRA_TENANT_ID: 't', WORKBOOK_ID: '/w', LOG_WORKSPACE_ID: '/l' }
const CLUSTER = { subscriptionId: 's', nodeResourceGroup: 'MC_g', machinePrefix: 'joiner-', formerMachinePrefixes: [] }

describe('links to the portal', () => {
  it('are those of the cloud, the tenant and the machines of the cluster', () => {
    const links = portalLinks(SETTINGS, CLUSTER)
    expect(links && machineLink(links, nodeClaimName('a'))).toBe(
      'https://portal.azure.us/#@t/resource/subscriptions/s/resourceGroups/MC_g/providers/Microsoft.Compute/virtualMachines/joiner-a',
    )
  })

  it('are none where no workbook is set', () => expect(portalLinks({ ...SETTINGS, WORKBOOK_ID: undefined }, CLUSTER)).toBeUndefined())
})

describe('the status', () => {
  const status = { cluster: clusterId('prod'), at: epochMs(0), problems: [], openIntents: ['default-a'] }

  it('links to the workbook and to each machine that is decided', () => {
    expect(linkedStatus(status, SOME_LINKS)).toMatchObject({
      openIntents: ['default-a'],
      links: { workbook: expect.stringMatching(/\/workbook$/), machines: { 'default-a': expect.stringMatching(/\/joiner-default-a$/) } },
    })
  })

  it('links each decision to what was told of it, where the logs are known', () => {
    const decision = { actions: [], reasons: [] }
    const record = { number: 7, epoch: 1, takenAt: epochMs(0), position: '', decision, decideMs: 1 }
    expect(linkedStatus({ ...status, latest: [record] }, SOME_LINKS)).toMatchObject({
      latest: [{ number: 7, link: expect.stringContaining('LogsBlade') }],
    })
  })

  it('is as it was without links', () => expect(linkedStatus(status, undefined)).toBe(status))
})
