import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AccessCheck, createAccess } from '../../local/azure/arm/authorization/access.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createEvaluator, type Evaluation } from '../check/evaluate/evaluate.ts'
import { MAIN_SETS } from '../check/parameterSets.ts'
import { rolesOf, type TemplateRoles } from './assignments.ts'
import { builtInRoles, HAS_BUILT_IN_ROLES } from './builtInRoles.ts'
import { SECTIONS } from './page.ts'
import { appResourceId } from './stackTemplate.ts'

const rows = [...(SECTIONS.get('Data') ?? '').matchAll(/^\| ([^|]+?) \| `([^`]+)` \| ([^|]+?) \| (.+) \|$/gm)].map(
  ([, identity = '', action = '', on = '', why = '']) => ({ identity, action, on, why }),
)

/** The resources of the template for the page's names of identities and places. */
const IDENTITIES: { readonly [name: string]: RegExp } = {
  'shim of a cluster': /\/userAssignedIdentities\/id-joiner-spot-[^/]+$/,
  'each topic': /\/topics\/[^/]+$/,
}
const PLACES: { readonly [name: string]: RegExp } = {
  'its storage account': /\/storageAccounts\/[^/]+$/,
  'its Application Insights': /\/components\/[^/]+$/,
  'the container `dead-letters`': /\/containers\/dead-letters$/,
  'the queue `interruption`': /\/queues\/interruption$/,
}

let evaluation: Evaluation
let roles: TemplateRoles
let access: AccessCheck

beforeAll(async () => {
  const evaluator = await createEvaluator((path) => readFileSync(join(repositoryRoot, path), 'utf8'))
  const set = MAIN_SETS.find(({ name }) => name === 'shim with an identity') ?? expect.fail('there is no such set')
  evaluation = evaluator.evaluate('infra/main.bicep', { ...set.parameters, eventDelivery: 'queue' })
  expect(evaluation.findings).toEqual([])
  roles = rolesOf(evaluation)
  access = createAccess()
  for (const { id, actions, dataActions } of builtInRoles()) access.define({ id, actions: [...actions, ...dataActions] })
  for (const assignment of roles.assignments) access.assign(assignment.id, assignment)
})

const idsOf = (pattern: RegExp | undefined): readonly string[] =>
  evaluation.resources.map(({ id }) => id).filter((id) => pattern?.test(id) === true)
const principalsOf = (identity: string): readonly string[] =>
  identity === 'app' ? [appResourceId(evaluation)] : idsOf(IDENTITIES[identity])
const may = (principal: string, action: string, scope: string): boolean =>
  access.judge(principal, { own: { action, scope }, linked: [] }).isGranted

describe.skipIf(!HAS_BUILT_IN_ROLES)('the data that docs/rights.md lets identities use', () => {
  it.each(rows.filter(({ on }) => on in PLACES))('$identity: $action on $on, is granted', ({ identity, action, on }) => {
    const principals = principalsOf(identity)
    const scopes = idsOf(PLACES[on])
    expect(principals.length * scopes.length).toBeGreaterThan(0)
    for (const principal of principals)
      for (const scope of scopes) expect([principal, may(principal, action, scope)]).toEqual([principal, true])
  })

  it('is all that the page has rows for', () => {
    expect(rows.length).toBeGreaterThan(15)
    expect(rows.filter(({ on }) => !(on in PLACES) && on !== 'the topic of that cluster')).toEqual([])
  })

  it('is tried by nobody but for blobs and queues, which the page of what is not proven says', () => {
    const page = readFileSync(join(repositoryRoot, 'docs/first-deployment.md'), 'utf8')
    const enforced = /^Microsoft\.Storage\/storageAccounts\/(blob|queue)Services\//
    const untried = new Set(rows.flatMap(({ action }) => (enforced.test(action) ? [] : [action.replace(/\/tables\/.*$/, '/tables')])))
    expect(untried.size).toBeGreaterThan(2)
    expect([...untried].filter((action) => !page.includes(`\`${action}`))).toEqual([])
  })

  it('is for each shim the topic of its own cluster, and nothing else', () => {
    const shims = idsOf(IDENTITIES['shim of a cluster'])
    const topics = idsOf(IDENTITIES['each topic'])
    expect([shims.length, topics.length]).toEqual([2, 2])
    const [row, other] = rows.filter(({ on }) => on === 'the topic of that cluster')
    expect([row?.identity, other]).toEqual(['shim of a cluster', undefined])
    const granted = shims.map((shim) => topics.filter((topic) => may(shim, row?.action ?? '', topic)))
    expect(granted.map((each) => each.length)).toEqual([1, 1])
    expect(new Set(granted.flat()).size).toBe(2)
    expect(roles.assignments.filter(({ principalId }) => shims.includes(principalId))).toHaveLength(2)
  })
})
