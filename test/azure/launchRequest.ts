import { durationMs } from '../../shared/model/units.ts'
import type { LaunchRequest } from '../../shared/ports/cloudProvider.ts'
import { candidateOf, claim, nodeClass, SIGNAL, type startHarness, typeNamed } from './harness.ts'

/** The name of the claim, the size, and the offering of the size. */
export type LaunchOf = readonly [name: string, size?: string, want?: Parameters<typeof candidateOf>[1]]

/** A launch request for one machine, on demand unless `want` says otherwise. */
export async function launchRequest(
  { catalog }: Pick<Awaited<ReturnType<typeof startHarness>>, 'catalog'>,
  ...[name, size = 'Standard_D2as_v6', want = { capacityType: 'on-demand' }]: LaunchOf
): Promise<LaunchRequest> {
  const theClass = nodeClass()
  const types = await catalog.instanceTypes(theClass, SIGNAL)
  return {
    claim: claim(name),
    nodeClass: theClass,
    candidate: candidateOf(typeNamed(types, size), want),
    bootstrapToken: async () => 'abcdef.0123456789abcdef',
    within: durationMs(30_000),
  }
}
