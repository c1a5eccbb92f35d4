import type { Pod } from '../../shared/model/pod.ts'

export function namespaceOf({ key }: Pod): string {
  return key.slice(0, key.indexOf('/'))
}
