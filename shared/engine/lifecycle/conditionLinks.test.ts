import { describe, expect, it } from 'vitest'
import { ago, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { SOME_LINKS } from '../../../test/builders/links.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { observation, writtenCondition } from '../../../test/builders/observation.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { splitLink } from '../../model/conditionLinks.ts'
import { problem } from '../../model/problem.ts'
import { stepInitialization } from './initialization.ts'
import { afterRefusal } from './launch.ts'
import { stepLiveness, stepLoss } from './liveness.ts'
import { stepRegistration } from './registration.ts'

const MACHINE = /\/virtualMachines\/joiner-default-aaaaa$/
const linked = settings({ links: SOME_LINKS })

function seen(shape: NodeClaimShape, more: Partial<ClaimObservation> = {}): ClaimObservation {
  return observation({ claim: nodeClaim(shape), settings: linked, ...more })
}

const launched = condition('Launched', { lastTransitionAt: ago(60 * MINUTE) })
const registered = condition('Registered', { lastTransitionAt: ago(60 * MINUTE) })
const old = { createdAt: ago(60 * MINUTE) }
const unready = node({ initialized: false, ready: false })
const refusal = (code: 'AZURE.QUOTA.FAMILY' | 'AZURE.FORBIDDEN') =>
  ({ problem: problem(code, 'Azure says no'), unavailable: [], then: 'stop' }) as const
const failed = instance({ state: { kind: 'failed', refusal: refusal('AZURE.FORBIDDEN') } })

const ON_FAILURE: readonly [sentence: string, type: string, link: RegExp, step: () => ClaimStep | undefined][] = [
  ['no node joined yet', 'Registered', MACHINE, () => stepRegistration(seen({ stage: 'launched' }))],
  ['two nodes joined', 'Registered', MACHINE, () => stepRegistration(seen({ stage: 'launched' }, { nodes: [node(), node()] }))],
  [
    'no node joined in time',
    'Registered',
    MACHINE,
    () => stepLiveness(seen({ stage: 'launched', meta: old, status: { conditions: [launched] } })),
  ],
  ['the machine failed', 'Registered', MACHINE, () => stepLoss(seen({ stage: 'launched' }, { instance: failed }))],
  ['the node is not ready', 'Initialized', MACHINE, () => stepInitialization(seen({ stage: 'registered' }, { nodes: [unready] }))],
  [
    'the node was never ready',
    'Initialized',
    MACHINE,
    () => stepLiveness(seen({ stage: 'registered', meta: old, status: { conditions: [launched, registered] } }, { nodes: [unready] })),
  ],
  ['a quota is used up', 'Launched', /QuotaMenuBlade/, () => afterRefusal(seen({ stage: 'created' }), refusal('AZURE.QUOTA.FAMILY'))],
  ['a right is missing', 'Launched', /\/users$/, () => afterRefusal(seen({ stage: 'created' }), refusal('AZURE.FORBIDDEN'))],
]

describe('a claim that does not come up', () => {
  it.each(ON_FAILURE)('says where that is seen: %s', (_sentence, type, link, step) => {
    const said = splitLink(writtenCondition(step()?.actions ?? [], type)?.message ?? '')
    expect(said.text).not.toBe('')
    expect(said.link).toMatch(link)
  })

  it('says what kept it in the end without the link within', () => {
    const kept = condition('Launched', {
      status: 'Unknown',
      reason: 'AzureForbidden',
      message: `no\n${SOME_LINKS.portal}/#@t/x`,
      lastTransitionAt: ago(60 * MINUTE),
    })
    const step = stepLiveness(seen({ stage: 'created', meta: old, status: { conditions: [kept] } }))
    expect(step?.reasons[0]?.message).toMatch(/minutes: no$/)
    expect(splitLink(writtenCondition(step?.actions ?? [], 'Launched')?.message ?? '').text).toMatch(/minutes: no$/)
  })

  it('says it once', () => {
    const before = seen({ stage: 'launched', meta: { createdAt: ago(SECOND) } })
    const [patch] = stepRegistration(before)?.actions ?? []
    const status = patch?.kind === 'patchStatus' ? patch.status : expect.fail('no status')
    expect(stepRegistration({ ...before, claim: { ...before.claim, status } })?.actions).toEqual([])
  })
})
