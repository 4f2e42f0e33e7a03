import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createDataSource } from './data-source.js';

@Module({})
export class DatabaseModule {
  static with(url: string, poolSize: number): DynamicModule {
    const dataSource = createDataSource(url, poolSize);
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => dataSource.options,
          dataSourceFactory: () => dataSource.initialize(),
        }),
      ],
    };
  }
}
