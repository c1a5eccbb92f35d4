import { describe, expect, it } from 'vitest'
import { SOME_LINKS } from '../../../test/builders/links.ts'
import { type ClusterEvent, LONGEST_EVENT_MESSAGE, type Subject } from '../../model/decision.ts'
import type { ClusterLinks } from '../../model/portalLinks.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { withLinkedEvents } from './eventRecorder.ts'

const SIGNAL = new AbortController().signal
const MACHINES = `${SOME_LINKS.portal}/#@t/resource${SOME_LINKS.machineGroupId}/providers/Microsoft.Compute/virtualMachines`
const WORKBOOK = `${SOME_LINKS.portal}/#@t/resource${SOME_LINKS.workbookId}/workbook`

async function published(event: ClusterEvent, links: ClusterLinks | undefined = SOME_LINKS): Promise<ClusterEvent | undefined> {
  let said: ClusterEvent | undefined
  const api: Pick<ClusterApi, 'publish'> = { publish: async (each) => void (said = each) }
  await withLinkedEvents(api, links).publish(event, SIGNAL)
  return said
}

function event(subject: Subject, reason: string, message = 'why'): ClusterEvent {
  return { subject, type: 'Normal', reason, message }
}

describe('an Event', () => {
  it.each<readonly [Subject, string, string]>([
    [{ kind: 'nodeClaim', name: 'default-a' }, 'Launched', `${MACHINES}/joiner-default-a`],
    [{ kind: 'node', name: 'aks-default-b' }, 'Initialized', `${MACHINES}/aks-default-b`],
    [{ kind: 'nodeClaim', name: 'default-a' }, 'Registered', `${MACHINES}/joiner-default-a`],
    [{ kind: 'nodeClaim', name: 'default-a' }, 'AsyncProvisioningError', `${MACHINES}/joiner-default-a`],
    [{ kind: 'nodeClaim', name: 'default-a' }, 'LaunchFailed', WORKBOOK],
    [{ kind: 'pod', name: 'shop/web' }, 'Nominated', WORKBOOK],
    [{ kind: 'nodePool', name: 'default' }, 'Ready', WORKBOOK],
  ])('about %j, %s, ends with a link', async (subject, reason, link) => {
    expect((await published(event(subject, reason)))?.message).toBe(`why\n${link}`)
  })

  it('is the same Event as without a link, and stays one when its text changes', async () => {
    const subject = { kind: 'pod', name: 'shop/web' } as const
    expect((await published(event(subject, 'Nominated')))?.key).toBe('why')
    expect((await published({ ...event(subject, 'Nominated'), key: 'k' }))?.key).toBe('k')
  })

  it('keeps the link of the condition that it tells of, once', async () => {
    const said = await published(event({ kind: 'nodeClass', name: 'default' }, 'SubnetNotFound', `why\n${MACHINES}/x`))
    expect(said).toMatchObject({ key: 'why', message: `why\n${MACHINES}/x` })
  })

  it('that would be too long loses text, and never the link', async () => {
    const message = 'x'.repeat(LONGEST_EVENT_MESSAGE)
    const said = (await published(event({ kind: 'pod', name: 'shop/web' }, 'FailedScheduling', message)))?.message ?? ''
    expect(said).toHaveLength(LONGEST_EVENT_MESSAGE)
    expect(said.endsWith(`x...\n${WORKBOOK}`)).toBe(true)
  })

  it('keeps its text where the link leaves none', async () => {
    const links = { ...SOME_LINKS, workbookId: `/${'y'.repeat(900)}` }
    expect(await published(event({ kind: 'pod', name: 'shop/web' }, 'Nominated'), links)).toMatchObject({ message: 'why' })
  })
})

describe('without links', () => {
  it('the API is as it was', () => {
    const api = { publish: async () => undefined }
    expect(withLinkedEvents(api, undefined)).toBe(api)
  })
})
