/** Refusals that may be about a NodeClass: its tags, its image, its disks. They keep only the machines of this NodeClass from being made. */
import type { NodeClassName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { RefusedClass, UnavailableOffering } from '../../model/unavailableOffering.ts'

type ClassNow = Pick<NodeClass, 'name' | 'meta'>

/** All that a refusal blocks. A refusal that may be about the NodeClass blocks its offerings for this generation of the NodeClass. */
export function blocksOf({ unavailable, own = [] }: LaunchRefusal, nodeClass: ClassNow | undefined): readonly UnavailableOffering[] {
  return nodeClass === undefined ? unavailable : [...unavailable, ...own.map((each) => forClass(each, nodeClass))]
}

/** The block, for the machines of this generation of the NodeClass only. */
export function forClass(block: UnavailableOffering, { name, meta: { uid, generation } }: ClassNow): UnavailableOffering {
  return { ...block, scope: { ...block.scope, nodeClass: { name, uid, generation } } }
}

/** The refusals without those of other NodeClasses, and of earlier generations of these. */
export function refusalsNow(unavailable: readonly UnavailableOffering[], classes: readonly ClassNow[]): readonly UnavailableOffering[] {
  return unavailable.filter(({ scope: { nodeClass } }) => nodeClass === undefined || classes.some((each) => isThis(nodeClass, each)))
}

/** The refusals that concern machines of the NodeClass. */
export function refusalsForClass(unavailable: readonly UnavailableOffering[], name: NodeClassName): readonly UnavailableOffering[] {
  return unavailable.filter((each) => concernsClass(each, name))
}

export function concernsClass({ scope: { nodeClass } }: UnavailableOffering, name: NodeClassName): boolean {
  return nodeClass === undefined || nodeClass.name === name
}

function isThis({ name, uid, generation }: RefusedClass, { name: named, meta }: ClassNow): boolean {
  return name === named && uid === meta.uid && generation === meta.generation
}
