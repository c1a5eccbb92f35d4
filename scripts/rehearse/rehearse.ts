// One rehearsal: an installation from the first resource to the last one gone, in one network mode, on the local Azure.
import { isDeepStrictEqual } from 'node:util'
import type { Document } from '../../local/azure/arm/armState.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { requireSuccess } from './armCaller.ts'
import { textOf } from './deployTemplate.ts'
import type { Report } from './report.ts'
import { createTemplates, type Mode } from './templates.ts'

/** How many times faster than in Azure machines start and end. */
const SPEED = 20

export async function rehearse(mode: Mode, report: Report): Promise<void> {
  const azure = await startAzure({ speed: SPEED })
  try {
    const templates = await createTemplates(azure, mode)
    const before = azure.resources()
    let outputs: Awaited<ReturnType<typeof templates.provision>>['outputs'] = {}
    await report.step(mode, 'provision', async () => {
      const deployed = await templates.provision()
      outputs = deployed.outputs
      return `${deployed.made.length} resources made in order`
    })
    await report.step(mode, 'provision again', async () => {
      const first = azure.resources()
      const { made, changed } = await templates.provision()
      if (made.length > 0) throw new Error(`the second run made what the first had not: ${made.join(', ')}`)
      requireSame(first, azure.resources())
      return `${changed.length} resources put once more, and all is as it was`
    })
    await report.step(mode, 'down', async () => {
      const id = `/subscriptions/${azure.subscriptionId}/resourceGroups/${textOf(outputs['AZURE_RESOURCE_GROUP'])}`
      requireSuccess('delete the resource group', await templates.arm('DELETE', id, '2025-04-01'))
      return leftOver(before, azure)
    })
  } finally {
    await azure.close()
  }
}

function requireSame(first: readonly Document[], second: readonly Document[]): void {
  for (const [at, one] of first.entries())
    if (!isDeepStrictEqual(one, second[at]))
      throw new Error(`the second run changed ${one.id}: ${JSON.stringify(one)} became ${JSON.stringify(second[at])}`)
}

function leftOver(before: readonly Document[], azure: LocalAzure): string {
  const there = new Set(before.map(({ id }) => id))
  const left = azure.resources().filter(({ id }) => !there.has(id))
  return `${left.length} resources left outside the resource group\n${left.map(({ id }) => id).join('\n')}`
}
