import { describe, expect, it } from 'vitest'
import { HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import type { Document } from '../../local/azure/arm/armState.ts'
import { dataNeed, type StorageRequest } from '../../local/storage/dataNeeds.ts'
import { createDataRights, unusedData } from './dataRights.ts'

const STORAGE = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a'
const QUEUE_SENDER = 'c6a89b2d-59bc-44d0-9896-0f6e12d7b80a'
const QUEUE_CONTRIBUTOR = '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
const READER = 'acdd72a7-3385-48ef-bd42-f606fba81ae7'

function assigned(principalId: string, roleId: string, scope: string): Document {
  const properties = { principalId, roleDefinitionId: `/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/${roleId}` }
  return { id: `${scope}/providers/Microsoft.Authorization/roleAssignments/${principalId}-${roleId}`, properties } as never
}

function rights() {
  const made = createDataRights(
    [
      assigned('app', QUEUE_CONTRIBUTOR, STORAGE),
      assigned('topic', QUEUE_SENDER, `${STORAGE}/queueServices/default/queues/interruption`),
      assigned('reader', READER, '/subscriptions/s'),
    ],
    STORAGE,
  )
  const ask = (who: string, service: StorageRequest['service'], method: string, path: string): boolean | undefined => {
    const request = { service, method, path, headers: {} }
    return made.judge?.(who, dataNeed(request), request)
  }
  return { ...made, ask }
}

describe.skipIf(!HAS_BUILT_IN_ROLES)('rights to data', () => {
  it('are those of the roles that somebody has where he asks, and no more', () => {
    const { ask } = rights()
    expect(ask('app', 'queue', 'GET', '/reconcile/messages')).toBe(true)
    expect(ask('app', 'queue', 'PUT', '/reconcile')).toBe(true)
    expect(ask('app', 'blob', 'GET', '/joiner/a')).toBe(false)
    expect(ask('topic', 'queue', 'POST', '/interruption/messages')).toBe(true)
    expect(ask('topic', 'queue', 'GET', '/interruption/messages')).toBe(false)
    expect(ask('topic', 'queue', 'POST', '/reconcile/messages')).toBe(false)
    expect(ask('nobody', 'queue', 'GET', '/?comp=list')).toBe(false)
  })

  it('are not had by who may read all that ARM tells', () => {
    const { ask } = rights()
    expect(ask('reader', 'queue', 'GET', '/?comp=list')).toBe(true)
    expect(ask('reader', 'queue', 'GET', '/reconcile/messages?peekonly=true')).toBe(false)
  })

  it('that were denied are told with what asked for them, and an operation that nobody knows is denied', () => {
    const { ask, used } = rights()
    expect(ask('app', 'queue', 'GET', '/reconcile/messages')).toBe(true)
    expect(used()).toEqual(['queueServices/queues/messages/process/action'])
    ask('app', 'blob', 'PUT', '/joiner/a?comp=expiry')
    expect(() => used()).toThrow('PUT /joiner/a?comp=expiry, which is no operation that local/storage/dataNeeds.ts knows, to app')
  })
})

describe('data that the page lists of the app', () => {
  it('is named where nobody used it', () => {
    const all = unusedData(new Set())
    expect(all).toContain('queueServices/queues/messages/process/action')
    expect(all).not.toContain('blobServices/containers/blobs/delete')
    expect(all.length).toBeGreaterThan(6)
    expect(unusedData(new Set(all))).toEqual([])
  })
})
