import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Import } from './import.entity.js';

@Entity('import_errors')
@ForeignKey(() => Import, ['accountId', 'importId'], ['accountId', 'id'], {
  name: 'import_errors_import_id_fkey',
  onDelete: 'CASCADE',
})
export class ImportError {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'import_id' })
  importId!: string;

  /** The number of the entry in the file, counted from 1. A line can have several entries. */
  @PrimaryColumn('bigint')
  row!: string;

  @Column('bigint')
  line!: string;

  @Column('text')
  code!: string;

  @Column('text')
  value!: string;
}
