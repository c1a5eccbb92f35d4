import { expect, it } from 'vitest'
import { node } from '../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../test/builders/nodeClaim.ts'
import { pod } from '../../test/builders/pod.ts'
import { snapshot } from '../../test/builders/snapshot.ts'
import { LABEL } from '../model/labels.ts'
import { simulateDecision } from './simulateDecision.ts'

it('a pod that a node can take gets a place there, as kube-scheduler gives it, although the pod would rather be elsewhere', () => {
  const term = { matchExpressions: [{ key: LABEL.zone, operator: 'In' as const, values: ['eastus-3'] }], matchFields: [] }
  const { objects, ...context } = snapshot({
    objects: {
      nodeClaim: [nodeClaim({ name: 'default-a' })],
      node: [node({ claim: 'default-a' })],
      pod: [pod({ name: 'p', preferredNodeTerms: [{ weight: 1, term }] })],
    },
  })
  const { actions, places } = simulateDecision(objects, context)
  expect([...places]).toEqual([['default/p', nodeNameOf('default-a')]])
  expect(actions.filter(({ kind }) => kind === 'createClaim')).toEqual([])
})
