import { Column } from 'typeorm';
import { ACTOR_TYPES, type Actor, type ActorType } from './actor.js';

/** The columns of an entity that has one actor. */
export class ActorColumns {
  @Column({ type: 'enum', enum: [...ACTOR_TYPES], enumName: 'actor_type', name: 'actor_type' })
  actorType!: ActorType;

  @Column('uuid', { name: 'actor_id', nullable: true })
  actorId!: string | null;

  @Column('text', { name: 'actor_name' })
  actorName!: string;
}

/** The actor of a stored change. */
export function actorIn({ actorType, actorId, actorName }: ActorColumns): Actor {
  return { type: actorType, id: actorId, name: actorName };
}
