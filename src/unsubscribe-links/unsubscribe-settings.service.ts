import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { UnsubscribeSettings } from './unsubscribe-settings.entity.js';

/** What an account chose; null where it chose nothing. */
export type ChosenSettings = Pick<UnsubscribeSettings, 'senderName' | 'mailbox'>;

@Injectable()
export class UnsubscribeSettingsService {
  constructor(
    @InjectRepository(UnsubscribeSettings) private readonly settings: Repository<UnsubscribeSettings>,
  ) {}

  async get(accountId: number): Promise<ChosenSettings> {
    const { senderName = null, mailbox = null } = (await this.settings.findOneBy({ accountId })) ?? {};
    return { senderName, mailbox };
  }

  /** Changes the settings that are given. */
  async update(accountId: number, changes: Partial<ChosenSettings>): Promise<ChosenSettings> {
    await this.settings.upsert({ accountId, ...changes }, ['accountId']);
    return this.get(accountId);
  }
}
