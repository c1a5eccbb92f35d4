import type { Needed, NeededAction } from './needed.ts'

/** What a role grants. `*` in an action stands for any text. */
export type RoleDefinition = {
  /** The last part of its resource id. */
  readonly id: string
  readonly actions: readonly string[]
  readonly notActions?: readonly string[]
}

export type RoleAssignment = {
  readonly principalId: string
  /** The last part of the role's resource id. */
  readonly roleId: string
  /** The id that the role is assigned on. The assignment also holds for everything below. */
  readonly scope: string
}

/** An action that a request needed. The same action of the same principal on the same scope is one row. */
export type AccessRow = NeededAction & {
  readonly principalId: string
  readonly isGranted: boolean
  /** Whether a role that granted the action was assigned before, and is no longer. */
  readonly isWithdrawn: boolean
}

export type AccessDecision =
  | { readonly isGranted: true }
  | { readonly isGranted: false; readonly needed: Needed; readonly missing: readonly NeededAction[]; readonly isLinked: boolean }

/** Roles and their assignments. */
export interface Access {
  define(role: RoleDefinition): void
  /** Assigns a role under an id that `unassign` takes. */
  assign(id: string, assignment: RoleAssignment): void
  unassign(id: string): void
  /** Returns the actions that requests needed since the last `forget`. */
  rows(): readonly AccessRow[]
  forget(): void
}

export interface AccessCheck extends Access {
  judge(principalId: string, needed: Needed): AccessDecision
  /** The roles that hold for the principal on the scope. */
  rolesAt(principalId: string, scope: string): readonly RoleDefinition[]
}

/** Makes an access check that grants nothing until a role is assigned. */
export function createAccess(): AccessCheck {
  const roles = new Map<string, RoleDefinition & { readonly grants: (action: string) => boolean }>()
  const assignments = new Map<string, RoleAssignment>()
  const withdrawn = new Map<string, RoleAssignment>()
  const log = new Map<string, AccessRow>()

  function rolesBy(held: ReadonlyMap<string, RoleAssignment>, principalId: string, scope: string) {
    return [...held.values()].flatMap((assignment) => {
      const isHis = assignment.principalId.toLowerCase() === principalId.toLowerCase()
      const role = roles.get(assignment.roleId.toLowerCase())
      return isHis && role !== undefined && holdsFor(assignment.scope, scope) ? [role] : []
    })
  }

  function lacking(principalId: string, needed: readonly NeededAction[]): readonly NeededAction[] {
    return needed.filter((each) => {
      const isGrantedBy = (held: ReadonlyMap<string, RoleAssignment>): boolean =>
        rolesBy(held, principalId, each.scope).some(({ grants }) => grants(each.action))
      const isGranted = isGrantedBy(assignments)
      const row = { principalId, ...each, isGranted, isWithdrawn: !isGranted && isGrantedBy(withdrawn) }
      log.set(`${principalId} ${each.action} ${each.scope} ${isGranted} ${row.isWithdrawn}`.toLowerCase(), row)
      return !isGranted
    })
  }

  function unassign(id: string): void {
    const key = id.toLowerCase()
    const assignment = assignments.get(key)
    if (assignment === undefined) return
    assignments.delete(key)
    withdrawn.set(key, assignment)
  }

  return {
    define: (role) => void roles.set(role.id.toLowerCase(), { ...role, grants: granted(role) }),
    assign: (id, assignment) => void assignments.set(id.toLowerCase(), assignment),
    unassign,
    rows: () => [...log.values()],
    forget: () => log.clear(),
    rolesAt: (principalId, scope) => rolesBy(assignments, principalId, scope),
    judge(principalId, needed) {
      const own = lacking(principalId, [needed.own])
      if (own.length > 0) return { isGranted: false, needed, missing: own, isLinked: false }
      const linked = lacking(principalId, needed.linked)
      return linked.length === 0 ? { isGranted: true } : { isGranted: false, needed, missing: linked, isLinked: true }
    },
  }
}

/** Reports whether an assignment on the id `assigned` holds for the id `asked`. */
function holdsFor(assigned: string, asked: string): boolean {
  const base = assigned.toLowerCase().replace(/\/$/, '')
  return asked.toLowerCase() === base || asked.toLowerCase().startsWith(`${base}/`)
}

function granted({ actions, notActions = [] }: RoleDefinition): (action: string) => boolean {
  const [given, taken] = [actions.map(expressionOf), notActions.map(expressionOf)]
  return (action) => given.some((pattern) => pattern.test(action)) && !taken.some((pattern) => pattern.test(action))
}

/**
 * A star between slashes may also stand for nothing. Managed Identity Operator has `assign/action` with a star before it, and grants
 * `userAssignedIdentities/assign/action` (README of Azure/aad-pod-identity and its issue 443, 2019-11).
 */
function expressionOf(pattern: string): RegExp {
  const literal = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
  const parts = pattern.split('/*/').map((part) => part.split('*').map(literal).join('.*'))
  return new RegExp(`^${parts.join('/(?:.*/)?')}$`, 'i')
}
