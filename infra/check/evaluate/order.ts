// Sorts resources behind their dependencies.
import type { EvaluatedResource } from './session.ts'

/** Keeps the given order where no dependency requires another. */
export function inOrder(resources: readonly EvaluatedResource[]): readonly EvaluatedResource[] {
  const byId = new Map(resources.map((resource) => [resource.id, resource]))
  const ordered = new Set<EvaluatedResource>()
  const visiting = new Set<EvaluatedResource>()
  const visit = (resource: EvaluatedResource): void => {
    if (ordered.has(resource) || visiting.has(resource)) return
    visiting.add(resource)
    for (const id of resource.dependsOn) {
      const before = byId.get(id)
      if (before !== undefined) visit(before)
    }
    ordered.add(resource)
  }
  for (const resource of resources) visit(resource)
  return [...ordered]
}
