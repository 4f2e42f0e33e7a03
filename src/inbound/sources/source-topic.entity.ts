import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Topic } from '../../topics/topic.entity.js';
import { UNIT_KINDS, type UnitKind } from '../parsing/delivery-event.js';
import { Source } from './source.entity.js';

/** The topic that a kind of mail at a provider stands for. */
@Entity('source_topics')
@ForeignKey(() => Source, ['accountId', 'sourceId'], ['accountId', 'id'], {
  name: 'source_topics_source_id_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => Topic, ['accountId', 'topicId'], ['accountId', 'id'], {
  name: 'source_topics_topic_id_fkey',
})
@ForeignKey(() => Topic, ['accountId', 'movingFrom'], ['accountId', 'id'], {
  name: 'source_topics_moving_from_fkey',
})
@Check('source_topics_unit_name_check', 'length(unit_name) BETWEEN 1 AND 200')
export class SourceTopic {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'source_id' })
  sourceId!: string;

  @PrimaryColumn({ type: 'enum', enum: [...UNIT_KINDS], enumName: 'topic_unit_kind', name: 'unit_kind' })
  unitKind!: UnitKind;

  @PrimaryColumn({ type: 'text', collation: 'C', name: 'unit_name' })
  unitName!: string;

  @Column('uuid', { name: 'topic_id' })
  topicId!: string;

  @Column('boolean', {
    name: 'is_mapped',
    comment: 'False if the service made the topic for a unit that nobody had mapped',
  })
  isMapped!: boolean;

  @Column('uuid', {
    name: 'moving_from',
    nullable: true,
    comment: 'A topic whose opt-outs are being moved to this one',
  })
  movingFrom!: string | null;

  @Column({
    type: 'text',
    collation: 'C',
    name: 'moved_up_to',
    default: '',
    comment: 'The last address whose opt-out was moved',
  })
  movedUpTo!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
