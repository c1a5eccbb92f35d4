// Judges access to data in the rehearsed storage account by the template's role assignments and Azure's own roles.
import { builtInRoles, HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import { SECTIONS } from '../../infra/rights/page.ts'
import type { Document } from '../../local/azure/arm/armState.ts'
import { createAccess, type RoleAssignment } from '../../local/azure/arm/authorization/access.ts'
import { textAt } from '../../local/azure/json.ts'
import type { Judge } from '../../local/storage/admission.ts'

export interface DataRights {
  /** Undefined if the public data with Azure's own roles is absent. Then nothing is judged. */
  readonly judge: Judge | undefined
  /** Returns the actions that were used, without the name of the provider. Throws if an action was denied. */
  used(): readonly string[]
}

const PROVIDER = 'Microsoft.Storage/storageAccounts/'
const ASSIGNMENT = /^(.*)\/providers\/Microsoft\.Authorization\/roleAssignments\/[^/]+$/i

/** `spreadMs` is the time until a new assignment holds. */
export function createDataRights(resources: readonly Document[], storageId: string, spreadMs = 0): DataRights {
  const [ofData, ofArm] = [createAccess(), createAccess()]
  const denied = new Set<string>()
  const pending = resources.flatMap((resource) => pendingAssignment(resource, spreadMs) ?? [])
  const used = new Set<string>()
  for (const { id, actions, notActions = [], dataActions } of builtInRoles()) {
    ofData.define({ id, actions: dataActions })
    ofArm.define({ id, actions, notActions })
  }
  const assignDue = (): void => {
    for (const { id, assignment, holdsAt } of pending) {
      if (holdsAt > Date.now()) continue
      ofData.assign(id, assignment)
      ofArm.assign(id, assignment)
    }
  }

  const judge: Judge = (principalId, need, { method, path }) => {
    if (need === undefined) {
      denied.add(`${method} ${path}, which is no operation that local/storage/dataNeeds.ts knows, to ${principalId}`)
      return false
    }
    assignDue()
    const access = need.isData ? ofData : ofArm
    const scope = `${storageId}${need.place}`
    const granted = need.actions.filter(
      (each) => access.judge(principalId, { own: { action: `${PROVIDER}${each}`, scope }, linked: [] }).isGranted,
    )
    // one granted action is enough, and all granted ones count as used
    for (const each of granted) used.add(each)
    if (granted.length === 0) denied.add(`${need.actions.join(' or ')} on ${need.place} to ${principalId}`)
    return granted.length > 0
  }

  return {
    judge: HAS_BUILT_IN_ROLES ? judge : undefined,
    used() {
      if (denied.size > 0) throw new Error(`the template does not let anybody: ${[...denied].join('; ')}`)
      return [...used].sort()
    },
  }
}

type Pending = { readonly id: string; readonly assignment: RoleAssignment; readonly holdsAt: number }

/** The assignment that a resource is, with the time from which it holds. Undefined for other resources. */
function pendingAssignment(resource: Document, spreadMs: number): Pending | undefined {
  const [, scope] = ASSIGNMENT.exec(resource.id) ?? []
  if (scope === undefined) return undefined
  const roleId = textAt(resource, 'properties.roleDefinitionId')?.split('/').at(-1) ?? ''
  const madeAt = Date.parse(textAt(resource, 'properties.createdOn') ?? '')
  const assignment = { principalId: textAt(resource, 'properties.principalId') ?? '', roleId, scope }
  return { id: resource.id, assignment, holdsAt: Number.isNaN(madeAt) ? 0 : madeAt + spreadMs }
}

/** Actions that a rehearsal need not use, with the reason. */
const RARE: { readonly [action: string]: string } = {
  'blobServices/containers/read': 'the host of Azure looks whether a container is there; the local one makes it',
  'blobServices/containers/blobs/delete': 'a log is cut when it has grown for hours',
  'queueServices/queues/read': 'queues are counted once in five minutes',
  'queueServices/queues/delete': 'queues are deleted after an upgrade only',
  'queueServices/queues/messages/read': 'messages are looked at where a queue is counted and not empty',
}

/** Returns the actions on blobs and queues that docs/rights.md lists for the app, that were not used, and that `RARE` does not explain. */
export function unusedData(used: ReadonlySet<string>): readonly string[] {
  const rows = [
    ...(SECTIONS.get('Data') ?? '').matchAll(/^\| app \| `Microsoft\.Storage\/storageAccounts\/((?:blob|queue)Services\/[^`]+)`/gm),
  ]
  return rows.flatMap(([, action = '']) => (used.has(action) || RARE[action] !== undefined ? [] : [action]))
}
