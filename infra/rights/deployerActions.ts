// The list of actions that the templates need, and the list in `infra/deployer.json`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createEvaluator } from '../check/evaluate/evaluate.ts'
import { LAYERS } from '../check/parameterSets.ts'
import { BESIDE, deployerNeeds } from './deployer.ts'

/** Returns `PLACE ACTION`, sorted, for all sets of parameters of all layers. */
export async function necessaryActions(): Promise<readonly string[]> {
  const evaluator = await createEvaluator((path) => readFileSync(join(repositoryRoot, path), 'utf8'))
  const needs = LAYERS.flatMap(({ main, sets }) =>
    sets.flatMap(({ parameters, deploymentContext }) => {
      const evaluation = evaluator.evaluate(main, parameters, deploymentContext === undefined ? {} : { deploymentContext })
      // A later layer gets the name of the group that an earlier layer created.
      const own = evaluation.resources.flatMap(({ type, name }) => (type === 'Microsoft.Resources/resourceGroups' ? [name] : []))
      const told = parameters['resourceGroupName']
      return deployerNeeds(evaluation, typeof told === 'string' ? [...own, told] : own)
    }),
  )
  return [...new Set([...needs, ...BESIDE].map(({ on, action }) => `${on} ${action}`))].sort()
}

const file = z.strictObject({
  about: z.string(),
  needs: z.array(z.strictObject({ on: z.string(), resource: z.string(), verbs: z.array(z.string()).min(1), why: z.string().min(8) })),
})

export const DEPLOYER = file.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'deployer.json'), 'utf8'))).needs

export const writtenActions: readonly string[] = DEPLOYER.flatMap(({ on, resource, verbs }) =>
  verbs.map((verb) => `${on} ${resource}/${verb}`),
).sort()
