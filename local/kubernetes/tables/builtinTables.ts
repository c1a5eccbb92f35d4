import { nameOf } from '../object/kubeObject.ts'
import { objectAge } from './age.ts'
import { column, type TableLayout } from './tableLayout.ts'

/** What a resource without its own columns shows. */
export const nameAndAge: TableLayout = {
  columns: [column('Name'), column('Age')],
  row: (object, now) => [nameOf(object), objectAge(object, now)],
}

export const BUILTIN_TABLES: { readonly [resource: string]: TableLayout } = {}
